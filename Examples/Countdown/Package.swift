// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Countdown",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "weir", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.1"),
    ],
    targets: [
        .executableTarget(
            name: "LaunchSite",
            dependencies: [
                .product(name: "Weir", package: "weir"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ],
            resources: [.copy("Templates")])
    ]
)
