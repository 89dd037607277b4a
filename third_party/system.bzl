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

# In the order in which they are loaded; the number before the name keeps it.
_GUEST_MODULES = [
    "drivers/virtio/virtio_ring.ko",
    "drivers/virtio/virtio.ko",
    "drivers/virtio/virtio_pci_modern_dev.ko",
    "drivers/virtio/virtio_pci_legacy_dev.ko",
    "drivers/virtio/virtio_pci.ko",
    "net/vmw_vsock/vsock.ko",
    "net/vmw_vsock/vmw_vsock_virtio_transport_common.ko",
    "net/vmw_vsock/vmw_vsock_virtio_transport.ko",
    "drivers/net/vsockmon.ko",
]

# Of the files that are not the kernel's.
_GUEST_PACKAGES = {
    "busybox": "busybox-static",
    "qemu": "qemu-system-x86",
}

_GUEST_BUILD = """
exports_files(
    [
        "busybox",
        "missing",
        "qemu",
        "vmlinuz",
    ],
    visibility = ["//visibility:public"],
)

filegroup(
    name = "modules",
    srcs = {modules},
    visibility = ["//visibility:public"],
)
"""

def _unpacked_files(ctx):
    """Path in the repository -> path in the unpacked packages, or None."""
    environ = ctx.os.environ
    home = environ.get("HOME", "/")
    unpacked = environ.get("XDG_CACHE_HOME", home + "/.cache") + "/vsock_guest"
    kernel = unpacked + "/linux-image-cloud-amd64"
    paths = {
        "busybox": unpacked + "/busybox-static/bin/busybox",
        "vmlinuz": "",
    }
    modules = ctx.path(kernel + "/lib/modules")
    versions = [path.basename for path in modules.readdir()] if modules.exists else []
    for version in versions:
        paths["vmlinuz"] = kernel + "/boot/vmlinuz-" + version
    for number, module in enumerate(_GUEST_MODULES):
        name = "modules/%d_%s" % (10 + number, module.split("/")[-1])
        paths[name] = ""
        for version in versions:
            paths[name] = "%s/%s/kernel/%s" % (modules, version, module)
    return {name: ctx.path(path) if path else None for name, path in paths.items()}

def _guest_repository_impl(ctx):
    files = _unpacked_files(ctx)
    files["qemu"] = ctx.which("qemu-system-x86_64")
    missing = {}
    for name, path in files.items():
        if path and path.exists:
            ctx.symlink(path, name)
        else:
            ctx.file(name)
            missing[_GUEST_PACKAGES.get(name, "linux-image-cloud-amd64")] = None
    ctx.file("missing", ", ".join(missing.keys()))
    modules = [name for name in files if name.startswith("modules/")]
    ctx.file("BUILD.bazel", _GUEST_BUILD.format(modules = modules))

guest_repository = repository_rule(
    implementation = _guest_repository_impl,
    doc = """What a real guest is booted with: QEMU, and files of the packages that
./bazelw unpacks. What is not there is an empty file, and its package is named in
`missing`.""",
    environ = ["HOME", "PATH", "XDG_CACHE_HOME"],
    local = True,
)
