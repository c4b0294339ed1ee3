// Drives franz-go: a command as JSON on standard input, what came of it as JSON on standard output.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

type header struct {
	Name  string
	Value []byte
}

type record struct {
	Key, Value []byte
	Timestamp  int64
	Headers    []header
}

type command struct {
	Address, Op, Topic, Codec string
	Offset                    int64
	Count                     int
	Records                   []record
}

type answer struct {
	Error   string           `json:"error,omitempty"`
	Offsets []int64          `json:"offsets,omitempty"`
	Records []record         `json:"records,omitempty"`
	Ends    map[string]int64 `json:"ends,omitempty"`
	Config  string           `json:"config,omitempty"`
	Cluster string           `json:"cluster,omitempty"`
}

var codecs = map[string]kgo.CompressionCodec{
	"none": kgo.NoCompression(), "gzip": kgo.GzipCompression(), "snappy": kgo.SnappyCompression(),
	"lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
}

func main() {
	var asked command
	if err := json.NewDecoder(os.Stdin).Decode(&asked); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	found, err := run(ctx, asked)
	var known *kerr.Error
	if errors.As(err, &known) {
		found.Error = known.Message
	} else if err != nil {
		found.Error = fmt.Sprint(err)
	}
	json.NewEncoder(os.Stdout).Encode(found)
}

func run(ctx context.Context, asked command) (found answer, err error) {
	options := []kgo.Opt{kgo.SeedBrokers(asked.Address), kgo.RecordRetries(0), kgo.UnknownTopicRetries(0)}
	switch asked.Op {
	case "produce":
		options = append(options, kgo.ProducerBatchCompression(codecs[asked.Codec]), kgo.RecordPartitioner(kgo.ManualPartitioner()),
			kgo.ProducerBatchMaxBytes(1000000), kgo.ProducerLinger(20*time.Millisecond))
	case "consume":
		at := kgo.NewOffset().At(asked.Offset)
		options = append(options, kgo.ConsumeResetOffset(kgo.NoResetOffset()),
			kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{asked.Topic: {0: at}}))
	}
	client, err := kgo.NewClient(options...)
	if err != nil {
		return found, err
	}
	defer client.Close()
	switch asked.Op {
	case "produce":
		return produce(ctx, client, asked)
	case "consume":
		return consume(ctx, client, asked)
	}
	return administer(ctx, kadm.NewClient(client), asked)
}

func produce(ctx context.Context, client *kgo.Client, asked command) (found answer, err error) {
	var records []*kgo.Record
	for _, each := range asked.Records {
		one := &kgo.Record{Topic: asked.Topic, Key: each.Key, Value: each.Value, Timestamp: time.UnixMilli(each.Timestamp)}
		for _, h := range each.Headers {
			one.Headers = append(one.Headers, kgo.RecordHeader{Key: h.Name, Value: h.Value})
		}
		records = append(records, one)
	}
	results := client.ProduceSync(ctx, records...)
	for _, each := range results {
		found.Offsets = append(found.Offsets, each.Record.Offset)
	}
	return found, results.FirstErr()
}

func consume(ctx context.Context, client *kgo.Client, asked command) (found answer, err error) {
	for len(found.Records) < asked.Count {
		fetches := client.PollFetches(ctx)
		if failed := fetches.Errors(); len(failed) > 0 {
			return found, failed[0].Err
		}
		fetches.EachRecord(func(each *kgo.Record) {
			one := record{Key: each.Key, Value: each.Value, Timestamp: each.Timestamp.UnixMilli()}
			for _, h := range each.Headers {
				one.Headers = append(one.Headers, header{h.Key, h.Value})
			}
			found.Records = append(found.Records, one)
		})
	}
	return found, nil
}

// What kcl's commands do: a topic is made, grown, configured, cut and deleted.
func administer(ctx context.Context, admin *kadm.Client, asked command) (found answer, err error) {
	if _, err = admin.CreateTopic(ctx, 2, 1, map[string]*string{"retention.ms": kadm.StringPtr("5000")}, asked.Topic); err != nil {
		return
	}
	grown, err := admin.CreatePartitions(ctx, 1, asked.Topic)
	if err == nil {
		err = grown.Error()
	}
	if err != nil {
		return
	}
	set := []kadm.AlterConfig{{Op: kadm.SetConfig, Name: "segment.bytes", Value: kadm.StringPtr("1048576")}}
	if _, err = admin.AlterTopicConfigs(ctx, set, asked.Topic); err != nil {
		return
	}
	configs, err := admin.DescribeTopicConfigs(ctx, asked.Topic)
	if err != nil {
		return
	}
	for _, each := range configs[0].Configs {
		if each.Key == "retention.ms" {
			found.Config = *each.Value
		}
	}
	metadata, err := admin.Metadata(ctx, asked.Topic)
	if err != nil {
		return
	}
	found.Cluster = metadata.Cluster
	ends, err := admin.ListEndOffsets(ctx, asked.Topic)
	if err != nil {
		return
	}
	found.Ends = map[string]int64{}
	ends.Each(func(each kadm.ListedOffset) { found.Ends[fmt.Sprint(each.Partition)] = each.Offset })
	_, err = admin.DeleteTopic(ctx, asked.Topic)
	return
}
