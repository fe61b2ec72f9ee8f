import Testing
import WeirStates

@Suite struct NearestNameTests {
    @Test func `two letters in the wrong order are one mistake, so that a short name is still recognised`() {
        #expect(NearestName.of("baord", among: ["start", "board"]) == "board")
        #expect(NearestName.of("bord", among: ["start", "board"]) == "board")
        #expect(NearestName.of("brado", among: ["start", "board"]) == nil)
    }

    @Test func `a letter too much is one mistake, at the beginning as anywhere else`() {
        for name in ["sport", "poort", "ports"] {
            #expect(NearestName.of(name, among: ["start", "port"]) == "port", "\(name)")
        }
    }

    @Test func `a long name is recognised with a mistake in each few letters, whatever is missing or too much`() {
        #expect(NearestName.of("notifcatoins", among: ["operations", "notifications"]) == "notifications")
        #expect(
            NearestName.of("schedule-tme-zonee", among: ["schedule", "schedule-time-zone"]) == "schedule-time-zone")
    }

    @Test func `of names that a mistake resembles equally, the first is meant`() {
        #expect(NearestName.of("hosts", among: ["ports", "hosta", "hostb"]) == "hosta")
        #expect(NearestName.of("hosts", among: ["hostb", "ports", "hosta"]) == "hostb")
    }
}
