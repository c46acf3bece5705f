/** Changes of settings, as operations of the store and as changes of the image. */
import { MetadataImage } from '../metadata-image';
import { alteredImage, configAlteration } from './config-alteration';

const topic = { name: 't', id: 'id', isInternal: false, configs: new Map(), partitions: [] };
const group = { scope: 'groups', name: 'g' } as const;
const before = MetadataImage.empty('c').with({ topics: [topic] }).image;
const settings = (value: string) => new Map([['k', value]]);

it('sets, creates and deletes what the store holds', () => {
  const { image } = before.with({ configs: [{ ...group, configs: settings('1') }] });
  const kinds = [
    configAlteration({ scope: 'topics', name: 't' }, settings('2'), before),
    configAlteration(group, settings('2'), before),
    configAlteration(group, settings('2'), image),
    configAlteration(group, new Map(), image),
    configAlteration(group, new Map(), before),
  ].map(({ operation }) => operation?.kind);
  expect(kinds).toEqual(['set', 'create', 'set', 'delete', undefined]);
});

it('changes each topic once, and leaves the last settings of a resource', () => {
  const resource = { scope: 'topics', name: 't' } as const;
  const change = alteredImage([
    configAlteration(resource, settings('1'), before),
    configAlteration(group, settings('3'), before),
    configAlteration(resource, settings('2'), before),
    configAlteration(group, settings('4'), before),
  ]);
  expect(change.topics).toEqual([{ ...topic, configs: settings('2') }]);
  expect(before.with(change).image.configs(group)).toEqual(settings('4'));
});
