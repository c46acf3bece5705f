"""kafka-python pretends to be of each older age and does what its users did: send, read, join a group, commit.

Called as `session.py HOST:PORT`; prints one line a step, `ok NAME` or `FAILED NAME: why`.
"""

import sys
import traceback

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

BOOTSTRAP = sys.argv[1]
AGES = [(0, 8, 2), (0, 9), (0, 10, 0), (0, 10, 1), (0, 11), (1, 0)]
COUNT = 200


def step(name, body):
    try:
        body()
        print("ok " + name, flush=True)
    except Exception as error:
        print("FAILED %s: %r %s" % (name, error, traceback.format_exc().replace("\n", " | ")), flush=True)


def same(actual, expected):
    assert actual == expected, "%.200r instead of %.200r" % (actual, expected)


def values(count):
    return [("value %d" % at).encode() for at in range(count)]


def send_and_read(age, codec):
    topic = "py-%s-%s" % ("".join(map(str, age)), codec)
    producer = KafkaProducer(
        bootstrap_servers=BOOTSTRAP,
        api_version=age,
        compression_type=None if codec == "none" else codec,
        acks="all",
        linger_ms=5,
    )
    sent = [producer.send(topic, value=value, key=b"k") for value in values(COUNT)]
    offsets = [future.get(timeout=15).offset for future in sent]
    producer.close()
    same(offsets, list(range(COUNT)))
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP, api_version=age, consumer_timeout_ms=10000)
    partition = TopicPartition(topic, 0)
    consumer.assign([partition])
    consumer.seek(partition, 0)
    read = [next(consumer) for _ in range(COUNT)]
    consumer.close()
    same([record.value for record in read], values(COUNT))
    same({record.key for record in read}, {b"k"})
    same([record.offset for record in read], list(range(COUNT)))
    if age >= (0, 10):
        assert all(record.timestamp > 1500000000000 for record in read)


def group(age):
    topic = "py-%s-none" % "".join(map(str, age))
    name = "py-group-%s" % "".join(map(str, age))

    def read(count):
        consumer = KafkaConsumer(
            topic,
            bootstrap_servers=BOOTSTRAP,
            api_version=age,
            group_id=name,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            max_poll_records=10,
            consumer_timeout_ms=15000,
        )
        got = [next(consumer).value for _ in range(count)]
        consumer.commit()
        consumer.close()
        return got

    same(read(50) + read(COUNT - 50), values(COUNT))


def admin():
    client = KafkaAdminClient(bootstrap_servers=BOOTSTRAP)
    client.create_topics([NewTopic("py-admin", 3, 1)])
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP, api_version=(1, 0))
    same(consumer.partitions_for_topic("py-admin"), {0, 1, 2})
    assert ("py-group-10", "consumer") in client.list_consumer_groups()
    offsets = client.list_consumer_group_offsets("py-group-10")
    same(offsets[TopicPartition("py-10-none", 0)].offset, COUNT)
    client.delete_topics(["py-admin"])
    client.close()
    consumer.close()


def times():
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP, api_version=(1, 0))
    partition = TopicPartition("py-10-none", 0)
    same(consumer.beginning_offsets([partition])[partition], 0)
    same(consumer.end_offsets([partition])[partition], COUNT)
    same(consumer.offsets_for_times({partition: 1000})[partition].offset, 0)
    consumer.close()


def detected():
    producer = KafkaProducer(bootstrap_servers=BOOTSTRAP)
    same(producer.send("py-detected", b"v").get(timeout=15).offset, 0)
    producer.close()


for one in AGES:
    label = ".".join(map(str, one))
    for kind in ("none", "gzip"):
        step("%s sends and reads, %s" % (label, kind), lambda: send_and_read(one, kind))
    if one >= (0, 9):
        step("%s group goes on from its commit" % label, lambda: group(one))
step("admin client", admin)
step("offsets by time", times)
step("finds out the broker's version by itself", detected)
