# What the small golden reports were made by; sourced by their test and by what
# writes them.
readonly SMALL=(--duration=5ms --replicates=3 --set=warmup_us=2000)
