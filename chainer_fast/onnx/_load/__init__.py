"""Networks of ONNX files: reading, operators, and the order of computation."""
