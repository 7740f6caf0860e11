# SPDX-License-Identifier: GPL-2.0-only
#
# asim on a bare Debian 12, alone and in ns-3:
#   docker build -t asim . && docker run --rm -it -v "$PWD/runs:/asim/runs" asim ./asim help
FROM debian:12
# What ./asim and ./ns3 need; they install what is missing, but so this layer is kept (tests/launcher compares).
RUN apt-get update && apt-get install -y --no-install-recommends bzip2 cmake dpkg-dev g++ gcc libc6-dev libexpat1-dev \
    libjansson-dev libopenmpi-dev libprotobuf-c-dev libyaml-dev make ninja-build openmpi-bin pkg-config protobuf-c-compiler \
    python3 xz-utils zlib1g-dev
COPY . /asim
WORKDIR /asim
# The first start of each builds it: two minutes, then about five.
RUN ./asim nccl-tests --machine=h100-ndr --nodes=8 --op=all_reduce -b 256M -e 256M
RUN ./ns3 run AstraSimNetwork -- --workload=examples/workloads/all_reduce_2r_1MiB/all_reduce
CMD ["bash"]
