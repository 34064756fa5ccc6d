#!/bin/bash
# Time of each kernel, by name and grid, over a few layers at full width (Nsight Compute). After gpu_check.sh build.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${TREFOIL_GPU_BUILD:-build-gpu}
prefix=$PWD/${TREFOIL_GPU_PREFIX:-.carry/usr}
blas=$(find /usr/local/cuda/lib64 /opt /usr/lib -name 'libcublasLt.so.1?' -print -quit 2>/dev/null)
export LD_LIBRARY_PATH=$prefix/lib/x86_64-linux-gnu:$(dirname "${blas:-/none/x}"):${LD_LIBRARY_PATH:-}
ncu --clock-control none --cache-control none --metrics gpu__time_duration.sum --csv "$build/bin/trefoil-cli" bench --synth clover-35b --device cuda --layers 4 --repeats 1 "$@" > "$build/profile.csv" 2> "$build/profile.err"
python3 - "$build/profile.csv" <<'PY'
import csv, sys
rows = [l for l in open(sys.argv[1]) if l.startswith('"')]
sums = {}
for r in csv.DictReader(rows):
    name = r["Kernel Name"].split("(")[0].replace("<unnamed>::", "").replace("trefoil::cuda::", "")[-60:]
    key = (name, r["Grid Size"], r["Block Size"])
    value = float(r["Metric Value"].replace(",", "")) / (1000.0 if r["Metric Unit"] in ("ns", "nsecond") else 1.0)
    sums.setdefault(key, []).append(value)
for key, v in sorted(sums.items(), key=lambda x: x[0]):
    v.sort()
    print(f"{v[0]:8.1f} {v[len(v) // 2]:8.1f} {v[-1]:8.1f} us, {len(v):4d} times  {key[0]} {key[1]} {key[2]}")
PY
