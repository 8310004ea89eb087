import { sourceTexts as t } from '@cloudfit/contract/messages/sources.en.ts';
import { Chip } from '../../components/chips.tsx';
import type { Source } from './source-row.ts';

export const stateText = ({ enabled, lastData }: Source): string => (enabled ? (lastData ? t.active : t.none) : t.off);

export function SourceState({ source }: { source: Source }) {
  return (
    <Chip dot tone={source.enabled ? (source.lastData ? 'ok' : 'info') : 'unknown'}>
      {stateText(source)}
    </Chip>
  );
}
