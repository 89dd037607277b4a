"""A header of system headers, and what the compiler makes of it beforehand.

GoogleTest's headers and Abseil's take longer to read than most tests do to
compile. Both gcc and clang take `-include name.h` as a wish for `name.h.gch`.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(
        header,
        "".join(["#include \"%s\"\n" % name for name in ctx.attr.headers]),
    )
    compiled = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        # A header of no module of the project's; but see strict_decluse.
        unsupported_features = ctx.disabled_features + ["layering_check"],
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        output_file = compiled.path,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts,
        use_pic = ctx.var["COMPILATION_MODE"] != "opt",
    )
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = variables,
    )
    clang = toolchain.compiler == "clang"
    # The first is the input, as a file has to be: one that lies in the same
    # place for every action, as the header written above does not.
    includes = []
    for name in ctx.attr.headers[1:]:
        includes += ["-include", name]
    ctx.actions.run(
        executable = toolchain.compiler_executable,
        arguments = ["-x", "c++-header", "/usr/include/" + ctx.attr.headers[0]] +
                    includes + flags +
                    (_CLANG_FLAGS if clang else []),
        env = cc_common.get_environment_variables(
            feature_configuration = features,
            action_name = "c++-compile",
            variables = variables,
        ),
        inputs = toolchain.all_files,
        outputs = [compiled],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling %s" % header.short_path,
    )
    return [CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset([header, compiled]),
    ))]

# What clang wants to be as it is in the sources: the layering check is on; and
# templates that the header itself needs are made once.
_CLANG_FLAGS = [
    "-fmodules-strict-decluse",
    "-Xclang",
    "-fpch-instantiate-templates",
]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    doc = "<name>.h, which includes `headers` of /usr/include, precompiled.",
    attrs = {
        "headers": attr.string_list(mandatory = True, allow_empty = False),
        "_cc_toolchain": attr.label(
            default = "@bazel_tools//tools/cpp:current_cc_toolchain",
        ),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
