import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { Chip } from '../../components/chips.tsx';
import type { SourceEntity } from './source-row.ts';

export const stateText = ({ enabled, lastData, lateSince }: SourceEntity): string =>
  enabled ? (lateSince ? t.late : lastData ? t.active : t.none) : t.off;

export function SourceState({ source }: { source: SourceEntity }) {
  return (
    <Chip dot tone={source.enabled ? (source.lateSince ? 'danger' : source.lastData ? 'ok' : 'info') : 'unknown'}>
      {stateText(source)}
    </Chip>
  );
}
