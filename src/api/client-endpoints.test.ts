/** Which address a client is told. */
import { ImagePublisher } from '../cluster/image-publisher';
import { MetadataImage } from '../cluster/metadata-image';
import { testConnection } from '../testing/handler-context';
import { ClientEndpoints } from './client-endpoints';

const metadata = new ImagePublisher(MetadataImage.empty('c'));

function automatic(): ClientEndpoints {
  return new ClientEndpoints({ brokerId: 1, metadata, advertised: undefined });
}

describe('without advertised.listeners', () => {
  it('is the address by which the client came', () => {
    const connection = { ...testConnection, localAddress: '10.1.2.3', localPort: 1234 };
    expect(automatic().endpoint(1, connection)).toEqual({ host: '10.1.2.3', port: 1234 });
    expect(automatic().endpoint(1, testConnection)).toEqual({ host: '127.0.0.1', port: 9092 });
  });

  it('is localhost where that name surely leads to the listener', () => {
    const endpoints = automatic();
    endpoints.onBound({ name: 'PLAINTEXT', port: 9092, isLocalhost: true });
    for (const localAddress of ['127.0.0.1', '::1']) {
      expect(endpoints.endpoint(1, { ...testConnection, localAddress })).toEqual({ host: 'localhost', port: 9092 });
    }
    const outside = { ...testConnection, localAddress: '10.1.2.3' };
    expect(endpoints.endpoint(1, outside)).toEqual({ host: '10.1.2.3', port: 9092 });
  });
});

describe('with advertised.listeners', () => {
  const advertised = [
    { listener: 'INTERNAL', host: 'broker-1', port: 19092 },
    { listener: 'EXTERNAL', host: '::1', port: 0 },
  ];

  it('is that of the listener by which the client came', () => {
    const endpoints = new ClientEndpoints({ brokerId: 1, metadata, advertised });
    endpoints.onBound({ name: 'EXTERNAL', port: 555, isLocalhost: true });
    const on = (listenerName: string) => endpoints.endpoint(1, { ...testConnection, listenerName });
    expect(on('INTERNAL')).toEqual({ host: 'broker-1', port: 19092 });
    expect(on('EXTERNAL')).toEqual({ host: '::1', port: 555 });
    expect(on('HIDDEN')).toBeUndefined();
    expect([endpoints.isAutomatic, automatic().isAutomatic]).toEqual([false, true]);
  });

  it('is that of its registration for another broker', async () => {
    const other = { listener: 'INTERNAL', host: 'broker-2', port: 9, securityProtocol: 'PLAINTEXT' };
    await metadata.apply({ brokers: new Map([[2, { id: 2, rack: null, endpoints: [other] }]]) });
    const endpoints = new ClientEndpoints({ brokerId: 1, metadata, advertised });
    expect(endpoints.endpoint(2, { ...testConnection, listenerName: 'INTERNAL' })).toMatchObject({ host: 'broker-2' });
    expect(endpoints.endpoint(2, testConnection)).toBeUndefined();
    expect(endpoints.endpoint(3, testConnection)).toBeUndefined();
  });
});
