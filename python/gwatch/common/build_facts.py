"""What is known of a build of a kernel."""

BUILD_FACTS = (
    "registers",
    "local_bytes",
    "spill_store_bytes",
    "spill_load_bytes",
    "static_shared_bytes",
)
"""Names of the fields of libpygwatch.BuildFacts."""
