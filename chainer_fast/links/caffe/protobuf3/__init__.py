"""Caffe's file format, for whatever protobuf is installed."""
