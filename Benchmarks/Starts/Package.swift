// swift-tools-version: 6.2
import PackageDescription

// An application that mounts Weir with an operation that does nothing, for `Benchmarks/starts`.

let package = Package(
    name: "starts",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "weir", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "StartServer",
            dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
