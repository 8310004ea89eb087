import { deviceTexts } from '@cloudfit/contract/messages/devices.en.ts';
import { Chip } from '../../components/chips.tsx';
import { useNow } from '../../components/relative-time.tsx';
import { exactTime } from '../../theme/times.ts';
import { Skeleton } from '../../components/states.tsx';
import { healthOf } from './health.rules.ts';
import type { Device } from './use-device.ts';
import { usePacket } from './use-packet.ts';

const t = deviceTexts.health;

/** The health of a device as a colour and a word; the tooltip says since when. */
export function HealthChip({ device }: { device: Device }) {
  const { data, isLoading, maySee } = usePacket(device.deviceId);
  const now = useNow();
  if (isLoading) return <Skeleton width="60%" />;
  const { tone, text, state } = healthOf(device, { last: data?.timestamp, isKnown: maySee, now });
  const since = data && (state === 'silent' ? t.silentSince : (time: string) => `${t.lastPacket}: ${time}`)(exactTime(data.timestamp));
  return (
    <Chip tone={tone} dot={tone !== 'plain'} {...(since ? { title: since } : {})}>
      {text}
    </Chip>
  );
}
