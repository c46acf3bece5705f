/** The tables of settings, held against what Kafka's releases say of theirs. */
import { readFileSync } from 'node:fs';
import { factsFile, newestFacts, parseFacts, RELEASES, type SettingFact } from './facts';
import { MEANT, unlikeKafka } from './unlike-kafka';

const releases = RELEASES.map((version) => parseFacts(readFileSync(factsFile(version), 'utf8')));
const facts = newestFacts(releases);

/** The facts with other ones for one setting. */
function changed(name: string, change: Partial<SettingFact>): SettingFact[] {
  return facts.map((fact) => (fact.name === name && fact.scope === 'broker' ? { ...fact, ...change } : fact));
}

describe('the tables of settings', () => {
  it('know every setting of Kafka 3.9, 4.0 and 4.4, with its type, default, range and mode', () => {
    expect(releases.map((release) => release.length > 340)).toEqual([true, true, true]);
    expect(unlikeKafka(facts)).toEqual([]);
  });

  it('differ where it is meant, and only there', () => {
    const all = unlikeKafka(facts, []);
    expect(MEANT.filter(([start]) => !all.some((complaint) => complaint.startsWith(start)))).toEqual([]);
  });
});

describe('unlikeKafka', () => {
  const about = 'broker num.network.threads';
  it.each<[Partial<SettingFact>, string]>([
    [{ type: 'long' }, `${about} type: long in Kafka, int here`],
    [{ default: '4' }, `${about} default: 4 in Kafka, 3 here`],
    [{ mode: 'read-only' }, `${about} mode: read-only in Kafka, cluster-wide here`],
    [{ allowed: '[0,...]' }, `${about} range: [0,...] in Kafka, and 0 is refused here`],
    [{ allowed: '[2,...]' }, `${about} range: [2,...] in Kafka, and 1 is allowed here`],
    [{ allowed: '[1,...,9]' }, `${about} range: [1,...,9] in Kafka, and 10 is allowed here`],
    [{ isInternal: true }, `${about} internal: true in Kafka`],
  ])('complains of %j', (change, complaint) => {
    expect(unlikeKafka(changed('num.network.threads', change))).toEqual([complaint]);
  });

  it('complains of what is missing here or there', () => {
    const one = facts.find(({ name }) => name === 'num.io.threads')!;
    expect(unlikeKafka([...facts, { ...one, name: 'num.other.threads' }])).toEqual([
      'broker num.other.threads is missing',
    ]);
    expect(unlikeKafka(facts.filter((fact) => fact !== one))).toEqual(['broker num.io.threads is no setting of Kafka']);
  });
});
