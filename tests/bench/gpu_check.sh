#!/bin/bash
# Builds the GPU plugin without the window, checks it against the golden files in both precisions, runs compute-sanitizer over the tiny
# model, and times everything that docs/benchmarks.md reports. One call, one table.
#
#   tests/bench/gpu_check.sh [build] [kernels] [verify] [portable] [parts] [sanitize] [bench] [long] [packed] [sanitize-packed] [formats] [limited]
#                            (default: build verify)
#
# TREFOIL_GPU_BUILD: build folder (build-gpu). TREFOIL_GPU_PREFIX: where libraries lie that the system lacks (.carry/usr).
# TREFOIL_CUDA_ARCHITECTURES: what to build for (90a-real). TREFOIL_FORMATS, TREFOIL_SIZES (GiB), TREFOIL_SKEWS: of formats and limited.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${TREFOIL_GPU_BUILD:-build-gpu}
prefix=$PWD/${TREFOIL_GPU_PREFIX:-.carry/usr}
architectures=${TREFOIL_CUDA_ARCHITECTURES:-90a-real}
steps=${*:-build verify}
blas=$(find /usr/local/cuda/lib64 /opt /usr/lib -name 'libcublasLt.so.1?' -print -quit 2>/dev/null)
export LD_LIBRARY_PATH=$prefix/lib/x86_64-linux-gnu:$(dirname "${blas:-/none/x}"):${LD_LIBRARY_PATH:-}
export LIBRARY_PATH=$prefix/lib/x86_64-linux-gnu:${LIBRARY_PATH:-}
cli=$build/bin/trefoil-cli
failures=0

run() {
    echo "== $*"
    "$@" || { echo "   exit code $?"; failures=$((failures + 1)); }
}
# Only what is not right, and the summary.
compare() { "${tool[@]}" "$cli" verify "$1" "$2" --device "$device" | grep -vE ' (ok|skipped)$'; return "${PIPESTATUS[0]}"; }
tool=()
device=cuda
verify() {
    local precision=$1
    [ "$precision" = float32 ] && TREFOIL_CUDA_PRECISION=float32 run compare tests/golden/tiny tests/golden/tiny
    TREFOIL_CUDA_PRECISION=$precision run compare resources/demo-model tests/golden/demo
}

for step in $steps; do
    start=$SECONDS
    case $step in
        build)
            cmake -S . -B "$build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INCLUDE_PATH="$prefix/include" \
                -DCMAKE_LIBRARY_PATH="$prefix/lib/x86_64-linux-gnu" -DCMAKE_CXX_FLAGS="-I$prefix/include" -DTREFOIL_CUDA=ON \
                -DTREFOIL_GUI=OFF -DTREFOIL_CUDA_ARCHITECTURES="$architectures" > "$build.log" 2>&1 &&
                cmake --build "$build" --target trefoil-cli trefoil_cuda trefoil-test-cuda >> "$build.log" 2>&1 || { grep -E "rror|FAILED" "$build.log" | head -40; tail -5 "$build.log"; exit 1; }
            ;;
        # Quantised weights: single kernels first, then whole models; and what compute-sanitizer says of the kernels.
        packed) run "$build/bin/trefoil-test-cuda" --gtest_brief=1 --gtest_filter='Packed.*:Cache.*:PartPlan.*:Quantised.*:*Parts.OfFp8*:*Parts.OfFourBits*' ;;
        sanitize-packed)
            for check in memcheck racecheck; do
                run compute-sanitizer --tool $check --error-exitcode 9 --print-limit 5 "$build/bin/trefoil-test-cuda" --gtest_brief=1 \
                    --gtest_filter='Packed.Segments*:Packed.ASharedExpert*:Packed.Records*:Packed.Slices*:Cache.CountsWhat*'
            done
            ;;
        kernels) run "$build/bin/trefoil-test-cuda" --gtest_brief=1 ;;
        verify) verify float32; verify bf16 ;;
        portable) export TREFOIL_CUDA_PATH=portable; verify float32; verify bf16; unset TREFOIL_CUDA_PATH ;;
        # The layers in two parts on one card: every case, and every bit against one part.
        parts)
            device=cuda:0,cuda:0
            verify float32; verify bf16
            device=cuda
            run "$build/bin/trefoil-test-cuda" --gtest_brief=1 --gtest_filter='PartPlan.*:*Parts.*'
            ;;
        sanitize)
            # All tensors and a few cases of every mode: the tools slow a run down a hundred times.
            for model in tiny demo; do
                mkdir -p "$build/short-$model"
                cp tests/golden/$model/golden.safetensors "$build/short-$model/"
                python3 -c "import json, sys; c = json.load(open(sys.argv[1])); json.dump([c[i] for i in (2, 7, 18, 22) if i < len(c)][:len(c) // 9], open(sys.argv[2], 'w'))" \
                    tests/golden/$model/traces.json "$build/short-$model/traces.json"
            done
            for check in memcheck racecheck; do
                tool=(compute-sanitizer --tool $check --error-exitcode 9 --print-limit 5)
                TREFOIL_CUDA_PRECISION=float32 run compare tests/golden/tiny "$build/short-tiny"
                run compare resources/demo-model "$build/short-demo"
                tool=()
            done
            ;;
        bench) run "$cli" bench --synth clover-35b --device cuda --experts 8,40,64,128 ;;
        long) run "$cli" bench --synth clover-35b --device cuda --experts 8,40,64,128 --long 131000 ;;
        # The same passes with weights of every format, in one run on one card.
        formats)
            for format in ${TREFOIL_FORMATS:-bf16 fp8 int4 int4-128}; do
                run "$cli" bench --synth clover-35b --device cuda --experts 8,40,64,128 --format "${format%-*}" \
                    --group $([[ $format == *-128 ]] && echo 128 || echo 32)
            done
            ;;
        # The card held to less than the model: experts in main memory, drawn evenly and unevenly.
        limited)
            for size in ${TREFOIL_SIZES:-24 16}; do
                for format in ${TREFOIL_FORMATS:-int4 bf16}; do
                    for skew in ${TREFOIL_SKEWS:-0 0.5 1}; do
                        run "$cli" bench --synth clover-35b --device cuda --context 32768 --no-prompts --format $format \
                            --gpu-memory $size --router-skew $skew
                    done
                done
            done
            ;;
        *) echo "unknown step $step"; exit 2 ;;
    esac
    echo "-- $step took $((SECONDS - start)) s"
done
exit $((failures > 0))
