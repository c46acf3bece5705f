/** Publication: order, and what is visible when. */
import { ImagePublisher } from './image-publisher';
import { MetadataImage } from './metadata-image';

const pause = () => new Promise((resolve) => setImmediate(resolve));

describe('ImagePublisher', () => {
  it('brings each change to each subscriber in order, and shows it when all have it', async () => {
    const publisher = new ImagePublisher(MetadataImage.empty('c'));
    const seen: string[] = [];
    for (const name of ['first', 'second']) {
      publisher.subscribe(async (_, image) => {
        seen.push(`${name} begins ${image.controllerId}, clients see ${publisher.image.controllerId}`);
        await pause();
        seen.push(`${name} ends ${image.controllerId}`);
      });
    }
    await Promise.all([publisher.apply({ controllerId: 7 }), publisher.apply({ controllerId: 8 })]);
    expect(publisher.image.controllerId).toBe(8);
    expect(seen).toEqual([
      'first begins 7, clients see -1',
      'first ends 7',
      'second begins 7, clients see -1',
      'second ends 7',
      'first begins 8, clients see 7',
      'first ends 8',
      'second begins 8, clients see 7',
      'second ends 8',
    ]);
  });
});
