import CoreMetrics
import Testing
@testable import WeirTelemetry

@Suite struct ExpositionTests {
    @Test func `a metric without a series is left out`() {
        #expect(MetricsRegistry().text(.prometheus) == "")
        #expect(MetricsRegistry().text(.openMetrics) == "# EOF\n")
    }

    @Test func `counters and information have the names of each format`() {
        let registry = MetricsRegistry()
        Counter(.deliveries, [("outcome", "failed")], in: registry).increment(by: 3)
        registry.observe(.build, [("version", "1.2")]) { 1 }
        #expect(
            registry.text(.prometheus).hasSuffix(
                """
                # TYPE weir_deliveries_total counter
                weir_deliveries_total{outcome="failed"} 3
                # HELP weir_build_info The version of the server.
                # TYPE weir_build_info gauge
                weir_build_info{version="1.2"} 1

                """))
        #expect(
            registry.text(.openMetrics).hasSuffix(
                """
                # TYPE weir_deliveries counter
                weir_deliveries_total{outcome="failed"} 3
                # HELP weir_build The version of the server.
                # TYPE weir_build info
                weir_build_info{version="1.2"} 1
                # EOF

                """))
    }

    @Test func `a histogram counts durations up to each bound, and its count is its last bucket`() {
        let registry = MetricsRegistry()
        let timer = CoreMetrics.Timer(.runWait, [("operation", "a")], in: registry)
        for duration in [Duration.milliseconds(100), .milliseconds(101), .seconds(3_600), .seconds(1_000_000_000_000)] {
            timer.record(duration)
        }
        timer.recordNanoseconds(-5)
        let lines = registry.text(.prometheus).split(separator: "\n")
        #expect(lines.contains(#"weir_run_wait_seconds_bucket{operation="a",le="0.1"} 2"#))
        #expect(lines.contains(#"weir_run_wait_seconds_bucket{operation="a",le="0.5"} 3"#))
        #expect(lines.contains(#"weir_run_wait_seconds_bucket{operation="a",le="3600.0"} 4"#))
        #expect(lines.contains(#"weir_run_wait_seconds_bucket{operation="a",le="604800.0"} 4"#))
        #expect(lines.contains(#"weir_run_wait_seconds_bucket{operation="a",le="+Inf"} 5"#))
        #expect(lines.contains(#"weir_run_wait_seconds_count{operation="a"} 5"#))
    }

    @Test func `no name can end a label or a line`() {
        let registry = MetricsRegistry()
        let hostile = "a\"} 99\nweir_recording 0\\\r\u{1B}[2J\u{85}" + String(repeating: "x", count: 10_000)
        Counter(.runs, [("operation", hostile), ("outcome", "failed")], in: registry).increment()
        let lines = registry.text(.prometheus).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines[2].hasPrefix(#"weir_runs_total{operation="a\"} 99\nweir_recording 0\\"#))
        #expect(lines[2].hasSuffix(#"x",outcome="failed"} 1"#) && lines[2].count < 300)
        #expect(lines[2].unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test func `a label has at most a hundred values, and further ones become other`() {
        let registry = MetricsRegistry()
        for number in 0..<1_000 {
            for _ in 0..<2 {
                Counter(.scheduleMissed, [("operation", "o\(number)")], in: registry).increment()
            }
        }
        // The known values stay known, also to other metrics.
        Counter(.scheduleRefused, [("operation", "o99")], in: registry).increment()
        Counter(.scheduleRefused, [("operation", "o100")], in: registry).increment()
        let lines = registry.text(.prometheus).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("weir_schedule_missed_total{") } == MetricsRegistry.valueLimit + 1)
        #expect(lines.contains(#"weir_schedule_missed_total{operation="other"} 1800"#))
        #expect(lines.contains(#"weir_schedule_refused_total{operation="o99"} 1"#))
        #expect(lines.contains(#"weir_schedule_refused_total{operation="other"} 1"#))
    }

    @Test func `a gauge that cannot be read is absent, and one that is not known is discarded`() {
        let registry = MetricsRegistry()
        registry.observe(.journalBytes) { nil }
        Meter(label: "unknown", factory: registry).set(1)
        let text = registry.text(.prometheus)
        #expect(!text.contains("\nweir_journal_bytes ") && !text.contains("unknown"))
    }

    @Test(
        arguments: [
            (nil, Exposition.prometheus), ("*/*", .prometheus), ("text/plain", .prometheus),
            ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", .openMetrics),
            ("text/plain , application/openmetrics-text ; q=0.3", .prometheus),
            ("application/openmetrics-text;q=0", .prometheus), ("q=;,;;=, \t", .prometheus),
        ] as [(String?, Exposition)])
    func `the format is the one that the client prefers`(accept: String?, format: Exposition) {
        #expect(Exposition(accept: accept) == format)
    }
}
