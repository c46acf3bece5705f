/** What the docs of settings claim, held against sources. */
import { configReadme } from './readme';
import { untrueEffects } from './untrue-effects';

function complaints(path: string, source: string): string[] {
  return untrueEffects(new Map([[path, source]]));
}

describe('untrueEffects', () => {
  it('complains of a setting that is said to count and is read nowhere', () => {
    const about = 'num.partitions has an effect by the table, and nothing reads it';
    expect(complaints('api/x.ts', '')).toContain(about);
    expect(complaints('api/x.ts', "config.get('num.partitions')")).not.toContain(about);
    expect(complaints('api/x.ts', "// config.get('num.partitions')")).toContain(about);
    expect(complaints('config/definitions-x.ts', "'num.partitions'")).toContain(about);
  });

  it('complains of a setting that is said not to count and is read', () => {
    const about = 'background.threads has no effect by the table, and something reads it';
    expect(complaints('api/x.ts', "config.get('background.threads')")).toContain(about);
    expect(complaints('api/x.ts', '')).not.toContain(about);
  });

  it('takes the use of a topic setting for a use of the broker settings behind it', () => {
    const about = 'log.roll.hours has an effect by the table, and nothing reads it';
    expect(complaints('api/x.ts', "value('segment.ms')")).not.toContain(about);
    expect(complaints('api/x.ts', '')).toContain(about);
  });
});

describe('configReadme', () => {
  it('has a row for each setting', () => {
    const text = configReadme();
    for (const key of ['log.retention.ms', 'zookeeper.connect', 'authorizer.class.name', 'segment.bytes']) {
      expect(text).toContain(`\`${key}\``);
    }
    expect(text).toContain('| `log.dir` | list | `data` (Kafka: `/tmp/kafka-logs`) |');
  });
});
