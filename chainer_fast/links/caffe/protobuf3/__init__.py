"""Caffe's file format, for any version of protobuf."""
