"""Builds a library, and what it depends on, over a test's word.

Everything below `library` is compiled anew, optimised in every build mode, with
//virtqueue:other_word set: the same sources, and not a copy of them. What
depends on the result must not depend on //virtqueue in another way.
"""

def _over_explored_word(_settings, attr):
    return {
        "//command_line_option:compilation_mode": "opt",
        "//virtqueue:other_word": attr.word,
    }

_over_explored_word_transition = transition(
    implementation = _over_explored_word,
    inputs = [],
    outputs = [
        "//command_line_option:compilation_mode",
        "//virtqueue:other_word",
    ],
)

def _explored_library(ctx):
    return [ctx.attr.library[0][CcInfo], ctx.attr.library[0][DefaultInfo]]

explored_library = rule(
    implementation = _explored_library,
    attrs = {
        "library": attr.label(
            mandatory = True,
            cfg = _over_explored_word_transition,
            providers = [CcInfo],
        ),
        "word": attr.string(default = "//tests/explorer:explored_word"),
        "_allowlist_function_transition": attr.label(
            default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
        ),
    },
)
