"""Repositories that stand for packages of the operating system.

Headers lie in /usr/include, which the compiler searches anyway, so a library
here is little more than its linker options.
"""

def _system_repository_impl(ctx):
    for name, path in ctx.attr.links.items():
        if not ctx.path(path).exists:
            fail("%s is missing; ./bazelw installs what is needed" % path)
        ctx.symlink(path, name)
    ctx.symlink(ctx.attr.build_file, "BUILD.bazel")

system_repository = repository_rule(
    implementation = _system_repository_impl,
    doc = "One BUILD file, and links to the files it needs.",
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "links": attr.string_dict(doc = "name in the repository -> system path"),
    },
    local = True,
)

# The public targets of Abseil LTS 20220623 by folder, without `random`, which
# the project does not use: a run is its seed (docs/determinism.md).
_ABSEIL_TARGETS = {
    "algorithm": ["algorithm", "container"],
    "base": ["base", "config", "core_headers", "dynamic_annotations", "log_severity"],
    "cleanup": ["cleanup"],
    "container": [
        "btree",
        "fixed_array",
        "flat_hash_map",
        "flat_hash_set",
        "inlined_vector",
        "node_hash_map",
        "node_hash_set",
    ],
    "debugging": ["failure_signal_handler", "leak_check", "stacktrace", "symbolize"],
    "flags": ["commandlineflag", "config", "flag", "marshalling", "parse", "reflection", "usage"],
    "functional": ["any_invocable", "bind_front", "function_ref"],
    "hash": ["hash"],
    "memory": ["memory"],
    "meta": ["type_traits"],
    "numeric": ["bits", "int128"],
    "status": ["status", "statusor"],
    "strings": ["cord", "str_format", "strings"],
    "synchronization": ["synchronization"],
    "time": ["time"],
    "types": ["any", "compare", "optional", "span", "variant"],
    "utility": ["utility"],
}

_ABSEIL_TARGET = """
cc_library(
    name = "{name}",
    visibility = ["//visibility:public"],
    deps = ["//:abseil"],
)
"""

def _abseil_repository_impl(ctx):
    ctx.symlink(ctx.attr._build_file, "BUILD.bazel")
    for folder, names in _ABSEIL_TARGETS.items():
        ctx.file(
            "absl/%s/BUILD.bazel" % folder,
            "".join([_ABSEIL_TARGET.format(name = name) for name in names]),
        )

abseil_repository = repository_rule(
    implementation = _abseil_repository_impl,
    doc = "libabsl-dev under upstream's labels, //absl/<folder>:<target>.",
    attrs = {
        "_build_file": attr.label(default = "//third_party:abseil.BUILD"),
    },
    local = True,
)
