import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.Continuation
import kotlin.coroutines.resume
import kotlin.coroutines.suspendCoroutine
import kotlinx.coroutines.*
import kotlinx.coroutines.flow.*

// The rows of FlowBenchmarks that Kotlin's StateFlow has too, on the same work; see Documentation/flows.md.

/**
 * What a repetition costs, in nanoseconds: the best of ten, after finding out how many take 15 ms. That takes 200 ms at
 * least, so that the virtual machine has compiled what it runs.
 */
inline fun cost(body: (Int) -> Unit): Double {
    val begin = System.nanoTime()
    var count = 1
    while (true) {
        val start = System.nanoTime()
        body(count)
        val end = System.nanoTime()
        if (end - start < 15_000_000) count *= 2 else if (end - begin > 200_000_000) break
    }
    var best = Double.MAX_VALUE
    repeat(10) {
        val start = System.nanoTime()
        body(count)
        best = minOf(best, (System.nanoTime() - start).toDouble() / count)
    }
    return best
}

class Round {
    private val remaining = AtomicInteger()
    @Volatile private var waiter: Continuation<Unit>? = null

    suspend fun run(count: Int, write: () -> Unit) = suspendCoroutine {
        waiter = it
        remaining.set(count)
        write()
    }

    fun arrive() {
        if (remaining.decrementAndGet() == 0) waiter?.resume(Unit)
    }
}

fun row(name: String, cost: Double, unit: String = "ns") = println("$name\tKotlin\t$cost\t$unit")

suspend fun callback(subscribers: Int) = coroutineScope {
    val flow = MutableStateFlow(0)
    var sum = 0
    val jobs = List(subscribers) { launch(Dispatchers.Unconfined) { flow.collect { sum += it } } }
    row("callback delivery to $subscribers", cost { count ->
        for (value in 0 until count) flow.value = value and 1
    })
    jobs.forEach { it.cancel() }
}

/** An unconfined collector is what comes next to a callback. */
suspend fun memory() = coroutineScope {
    val flow = MutableStateFlow(0)
    val jobs = ArrayList<Job>(100_000)
    val before = usedBytes()
    repeat(100_000) { jobs += launch(Dispatchers.Unconfined) { flow.collect { } } }
    row("memory of a callback subscriber", (usedBytes() - before) / 100_000.0, "B")
    jobs.forEach { it.cancel() }
}

fun usedBytes(): Long {
    repeat(3) { System.gc() }
    return Runtime.getRuntime().run { totalMemory() - freeMemory() }
}

suspend fun handOff(collectors: Int, dispatcher: CoroutineDispatcher, where: String) = withContext(dispatcher) {
    val flow = MutableStateFlow(0)
    val round = Round()
    val jobs = mutableListOf<Job>()
    round.run(collectors) {
        repeat(collectors) { jobs += launch { flow.collect { round.arrive() } } }
    }
    var value = 0
    row("hand-off to $collectors, $where", cost { count ->
        repeat(count) { round.run(collectors) { value += 1; flow.value = value } }
    })
    jobs.forEach { it.cancel() }
}

@OptIn(ExperimentalCoroutinesApi::class, DelicateCoroutinesApi::class)
fun main() = runBlocking {
    memory()
    val flow = MutableStateFlow(0)
    row("set, nobody watches", cost { count -> for (value in 0 until count) flow.value = value })
    var sum = 0
    row("get", cost { count -> repeat(count) { sum += flow.value } })
    row("two writers, each write", cost { count ->
        coroutineScope {
            repeat(2) { writer ->
                launch(Dispatchers.Default) { for (value in 0 until count) flow.value = value * 2 + writer }
            }
        }
    } / 2)
    for (subscribers in listOf(1, 10, 100, 1_000)) callback(subscribers)
    newSingleThreadContext("collectors").use { thread ->
        for (collectors in listOf(1, 10, 100, 1_000)) {
            handOff(collectors, thread, "one thread")
            handOff(collectors, Dispatchers.Default, "default executor")
        }
    }
    check(sum != 1)
}
