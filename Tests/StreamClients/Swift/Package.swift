// swift-tools-version: 6.0
// Built by script/streams-clients against a checkout of the protocol's repository, which DURABLE_STREAMS names.

import Foundation
import PackageDescription

let checkout = Context.environment["DURABLE_STREAMS"] ?? "durable-streams"

let package = Package(
    name: "StreamClient",
    platforms: [.macOS(.v15)],
    dependencies: [.package(path: checkout)],
    targets: [
        .executableTarget(
            name: "StreamClient",
            dependencies: [
                .product(name: "DurableStreams", package: URL(fileURLWithPath: checkout).lastPathComponent)
            ])
    ])
