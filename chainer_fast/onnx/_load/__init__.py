"""Loading networks from ONNX files: reading, operators, order of computation."""
