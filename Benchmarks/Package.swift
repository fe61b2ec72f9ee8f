// swift-tools-version: 6.2
import PackageDescription

// Each executable measures one thing: `swift run -c release FlowBenchmarks`. What it prints are ratios, as nanoseconds
// mean little from one machine to the next.

let package = Package(
    name: "benchmarks",
    platforms: [.macOS("26.0")],
    dependencies: [
        .package(name: "weir", path: ".."),
        .package(url: "https://github.com/OpenCombine/OpenCombine.git", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms.git", from: "1.1.4"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    ],
    targets: [
        .executableTarget(
            name: "FlowBenchmarks",
            dependencies: [
                .product(name: "Flows", package: "weir"),
                .product(name: "OpenCombine", package: "OpenCombine"),
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
            ]),
        .executableTarget(
            name: "JournalBenchmarks",
            dependencies: [
                .product(name: "Flows", package: "weir"),
                .product(name: "Operations", package: "weir"),
                .product(name: "Boards", package: "weir"),
                .product(name: "Journals", package: "weir"),
                .product(name: "JournalsSQLite", package: "weir"),
                .product(name: "Boards", package: "weir"),
                .product(name: "Operations", package: "weir"),
                .product(name: "Stores", package: "weir"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ]),
    ]
)
