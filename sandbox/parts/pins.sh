# shellcheck shell=bash
# shellcheck disable=SC2034
# What is pinned here rather than in a package manager's lock file. Sourced by setup.

# gVisor's release: the archive holds runsc and the sidecar programs that must stay beside it.
RUNSC_RELEASE=20260907.0
RUNSC_RELEASE_SHA256_x86_64=81416511897ab8abd4e723d66823c5b0461a2ee3311cfa70d152404ef9b860cf
RUNSC_RELEASE_SHA256_aarch64=2b162adb35860f598ab2f89b9d752bff2c7ee6175c05d9cc532174a336cfb38c

# The same from source: go/runsc/go.mod pins the commit. gVisor is built with the Go release line that it is tested with.
RUNSC_GO_LABEL=go-20260905-160fafc42237
RUNSC_GO=1.26.8
RUNSC_GO_SUM_amd64='h1:ZOmGe1OnfREDMIdb1Qi4G9JSuDPBLGExZMQ4nis1RXM='
RUNSC_GO_SUM_arm64='h1:sYL/O6MqS68ML0kjsQ36WoYIpJqkw60TxizWUYUKQMc='

# The Go of the images: a module that names a newer Go than this cannot be loaded by gosec.
IMAGE_GO=1.27.3
IMAGE_GO_SUM_amd64='h1:r0ub+FnqzZxoWm/dSUOI9DcIqYWn/mNYGFJcv7PyBzs='
IMAGE_GO_SUM_arm64='h1:VY4gDzfxOrsM17J2qtgZgiAIsWhp7XWK1jMfE3kXV0s='

GITLEAKS_VERSION=8.30.1
DEBIAN_SUITE=trixie
