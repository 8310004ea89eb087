/** Sources of tests, and the packets that came of what they sent. */
import type { PacketMessage } from '@cloudfit/contract/resources/packets.ts';
import type { TestCaller, TestWorld } from '../../testing/world.ts';

export interface AddedSource {
  id: string;
  token: string;
}

/** Makes a source as a person does. */
export async function addedSource(world: TestWorld, caller: TestCaller, row: object): Promise<AddedSource> {
  const { status, text, body } = await world.call(caller, 'PUT', '/v1/sources', {
    name: `Source ${crypto.randomUUID().slice(0, 8)}`,
    ...row,
  });
  if (status !== 201) throw new Error(`The source was not made: ${status} ${text}`);
  return { id: String(body['sourceId']), token: String(body['generatedToken']) };
}

interface TestPacket {
  timestamp: string;
  message: PacketMessage;
}

/** The packets of the device or block of this name, the oldest first. */
export const packetsOf = (world: TestWorld, name: string): Promise<TestPacket[]> =>
  world.system.db.query<TestPacket>({
    text: `select p.timestamp, p.message from packet p
      where p.entity_id in (select device_id from device where name = $1 union all select block_id from block where name = $1)
      order by p.timestamp, p.packet_id`,
    values: [name],
  });
