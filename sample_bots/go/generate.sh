#!/bin/sh
# Writes the messages of the protocol, the Go package tortuga/v1, into v1/. `go generate ./...` calls it, and so does every build.
set -eu
cd "$(dirname "$0")"

# A bot of its own carries the .proto files along; in Tortuga's repository they are at its root.
proto=proto
[ -d "$proto" ] || proto=../../proto

# Into a folder of its own first: two builds may run at once, and neither should compile a half-written file.
fresh=$(mktemp -d ./.generating.XXXXXX)
trap 'rm -rf "$fresh"' EXIT

# The plugins are tools of this module, in the versions of go.mod.
protoc --proto_path="$proto" \
  --plugin=protoc-gen-go="$(go tool -n protoc-gen-go)" --go_out="$fresh" --go_opt=module=tortuga \
  --plugin=protoc-gen-go-grpc="$(go tool -n protoc-gen-go-grpc)" --go-grpc_out="$fresh" --go-grpc_opt=module=tortuga \
  $(ls "$proto"/tortuga/v1/*.proto | grep -Ev '/(arena|record)\.proto$') # those two are not for bots

mkdir -p v1
mv -f "$fresh"/v1/* v1/
