"""Writes tests/golden/quantised: small matrices in the quantised forms of model-contract.md, section 1, beside their values.

    python3 tests/reference/make_quantised.py

Needs numpy and torch (any version: FP8 is encoded and decoded here, from its definition, since older ones lack the type). Where
the library compressed-tensors can be imported, its own pack_to_int32 must give the stored words and its own unpack_from_int32
and dequantize the stored values, or the script fails; it says which of the two happened.

cases.safetensors holds, for each case: NAME.weight (or NAME.weight_packed, .weight_scale, .weight_shape, .weight_zero_point),
as a checkpoint stores them, and NAME.expected, the values in the type that they are read in.
"""
import json
import pathlib
import struct

import numpy as np
import torch

OUT = pathlib.Path(__file__).resolve().parents[1] / "golden" / "quantised"
rng = np.random.default_rng(20)
tensors = []


def add(name, dtype, array):
    tensors.append((name, dtype, list(array.shape), np.ascontiguousarray(array).tobytes()))


def bf16(t):
    return t.to(torch.bfloat16).view(torch.int16).numpy()


def e4m3(code):
    """The value of a code: 1 sign, 4 exponent (bias 7), 3 fraction bits; exponent 0 is subnormal, 0x7F and 0xFF are NaN."""
    sign, exponent, fraction = code >> 7, code >> 3 & 15, code & 7
    if exponent == 15 and fraction == 7:
        return float("nan")
    size = fraction / 8 * 2.0**-6 if exponent == 0 else (1 + fraction / 8) * 2.0 ** (exponent - 7)
    return -size if sign else size


def fp8_case(name, rows, columns, scale_type):
    codes = rng.integers(0, 256, (rows, columns)).astype(np.uint8)
    codes[(codes & 0x7F) == 0x7F] = 0x7E
    blocks = (-(-rows // 128), -(-columns // 128))
    scales = torch.from_numpy(rng.uniform(1e-4, 2e-3, blocks).astype(np.float32))
    if scale_type == "BF16":
        scales = scales.to(torch.bfloat16).float()
    values = torch.tensor([e4m3(int(c)) for c in codes.ravel()], dtype=torch.float32).reshape(rows, columns)
    wide = scales.repeat_interleave(128, 0)[:rows].repeat_interleave(128, 1)[:, :columns]
    add(name + ".weight", "F8_E4M3", codes)
    add(name + ".weight_scale_inv", scale_type, bf16(scales) if scale_type == "BF16" else scales.numpy())
    add(name + ".expected", "BF16", bf16(values * wide))


def pack(values, along):
    """Eight 4-bit values in a word, the first in the lowest bits, stored plus 8; zeros fill up the last word."""
    v = (values.astype(np.int64) + 8).astype(np.uint32)
    v = v if along == 1 else v.T
    v = np.pad(v, ((0, 0), (0, -v.shape[1] % 8)))
    words = np.zeros((v.shape[0], v.shape[1] // 8), np.uint32)
    for i in range(8):
        words |= v[:, i::8] << np.uint32(4 * i)
    return (words if along == 1 else words.T).astype(np.uint32).view(np.int32)


def int4_case(name, rows, columns, group, dtype, zeros):
    q = rng.integers(-8, 8, (rows, columns)).astype(np.int8)
    zero = rng.integers(-8, 8, (rows, columns // group)).astype(np.int8) if zeros else np.zeros((rows, columns // group), np.int8)
    kind = {"BF16": torch.bfloat16, "F16": torch.float16, "F32": torch.float32}[dtype]
    scale = torch.from_numpy(rng.uniform(1e-3, 2e-2, zero.shape).astype(np.float32)).to(kind)
    spread = scale.repeat_interleave(group, 1)
    difference = torch.from_numpy(q.astype(np.int32) - zero.repeat(group, 1).astype(np.int32)).to(kind)
    expected = difference * spread
    words = pack(q, 1)
    zero_words = pack(zero, 0) if zeros else None
    check_with_library(q, words, zero, zero_words, scale, expected, group)
    raw = lambda t: t.numpy() if dtype == "F32" else t.view(torch.int16).numpy()
    add(name + ".weight_packed", "I32", words)
    add(name + ".weight_scale", dtype, raw(scale))
    add(name + ".weight_shape", "I64", np.array([rows, columns], np.int64))
    if zeros:
        add(name + ".weight_zero_point", "I32", zero_words)
    add(name + ".expected", dtype, raw(expected))


def check_with_library(q, words, zero, zero_words, scale, expected, group):
    if LIBRARY is None:
        return
    pack_to_int32, unpack_from_int32, dequantize, QuantizationArgs = LIBRARY
    assert torch.equal(pack_to_int32(torch.from_numpy(q), 4), torch.from_numpy(words.copy()))
    back = unpack_from_int32(torch.from_numpy(words.copy()), 4, torch.Size(q.shape))
    point = None
    if zero_words is not None:
        assert torch.equal(pack_to_int32(torch.from_numpy(zero), 4, packed_dim=0), torch.from_numpy(zero_words.copy()))
        point = unpack_from_int32(torch.from_numpy(zero_words.copy()), 4, torch.Size(zero.shape), packed_dim=0)
    args = QuantizationArgs(num_bits=4, symmetric=point is None, strategy="group", group_size=group)
    assert torch.equal(dequantize(x_q=back, scale=scale, zero_point=point, args=args), expected)


def import_library():
    try:
        from compressed_tensors.quantization import QuantizationArgs
        from compressed_tensors.quantization.lifecycle.forward import dequantize
        try:
            from compressed_tensors.compressors.pack_quantized.helpers import pack_to_int32, unpack_from_int32
        except ImportError:
            from compressed_tensors.compressors.quantized_compressors.pack_quantized import pack_to_int32, unpack_from_int32
    except ImportError as missing:
        print(f"NOT compared with compressed-tensors: {missing}")
        return None
    return pack_to_int32, unpack_from_int32, dequantize, QuantizationArgs


LIBRARY = import_library()
fp8_case("fp8_small", 5, 7, "F32")
fp8_case("fp8_edges", 130, 200, "BF16")
fp8_case("fp8_whole", 128, 256, "F32")
int4_case("int4_32", 5, 96, 32, "BF16", False)
int4_case("int4_128", 9, 256, 128, "BF16", False)
int4_case("int4_half", 4, 64, 32, "F16", False)
int4_case("int4_float", 4, 64, 32, "F32", False)
int4_case("int4_zeros", 19, 128, 32, "BF16", True)

header, data = {}, b""
for name, dtype, shape, raw in tensors:
    header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
    data += raw
text = json.dumps(header).encode()
text += b" " * (-len(text) % 8)
OUT.mkdir(exist_ok=True)
(OUT / "cases.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
print(f"{len(tensors)} tensors, {len(data)} bytes" + ("" if LIBRARY is None else "; compressed-tensors agrees"))
