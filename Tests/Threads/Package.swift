// swift-tools-version: 6.2
import PackageDescription

// What ThreadSanitizer watches, and nothing else: the same sources and tests, through links, without a dependency, so that
// they build in a minute. `script/test threads` runs it.

let package = Package(
    name: "threads",
    platforms: [.macOS(.v15)],
    targets: [
        .target(name: "Flows", path: "Flows", exclude: ["Flows.docc"]),
        .target(name: "States", path: "States"),
        .target(name: "TestClocks", dependencies: ["Flows"], path: "TestClocks"),
        .target(
            name: "TestSupport", dependencies: ["Flows", "TestClocks"], path: "TestSupport",
            sources: ["SeededGenerator.swift", "Soon.swift", "VirtualClock+Waiting.swift"]),
        .testTarget(
            name: "FlowsTests", dependencies: ["Flows", "States", "TestClocks", "TestSupport"], path: "FlowsTests"),
    ]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ]
}
