// Produces what it reads from its standard input, and prints where it went or what went wrong.
const { Kafka, CompressionTypes, CompressionCodecs, logLevel } = require("kafkajs");
CompressionCodecs[CompressionTypes.LZ4] = new (require("kafkajs-lz4"))().codec;
CompressionCodecs[CompressionTypes.Snappy] = require("kafkajs-snappy");

const CODECS = {
  none: CompressionTypes.None,
  gzip: CompressionTypes.GZIP,
  snappy: CompressionTypes.Snappy,
  lz4: CompressionTypes.LZ4,
};
const bytes = (text) => (text === null ? null : Buffer.from(text, "base64"));

async function main(command) {
  const kafka = new Kafka({ brokers: [command.address], logLevel: logLevel.NOTHING, retry: { retries: 1 } });
  const admin = kafka.admin(), producer = kafka.producer({ idempotent: command.idempotent });
  await admin.connect();
  await producer.connect();
  try {
    const sent = await producer.send({
      topic: command.topic,
      acks: -1,
      compression: CODECS[command.codec],
      messages: command.records.map((each) => ({
        key: bytes(each.key),
        value: bytes(each.value),
        partition: 0,
        timestamp: String(each.timestamp),
        headers: Object.fromEntries(each.headers.map(([name, value]) => [name, bytes(value)])),
      })),
    });
    return { sent, offsets: await admin.fetchTopicOffsets(command.topic), cluster: await admin.describeCluster() };
  } catch (error) {
    return { error: error.type || (error.cause && error.cause.type) || error.message };
  } finally {
    await producer.disconnect();
    await admin.disconnect();
  }
}

let text = "";
process.stdin.on("data", (piece) => (text += piece));
process.stdin.on("end", () => main(JSON.parse(text)).then((answer) => console.log(JSON.stringify(answer))));
