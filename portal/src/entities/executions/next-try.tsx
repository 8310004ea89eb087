import { executionTexts as t } from '@cloudfit/contract/messages/executions.en.ts';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';

const graceMs = 15_000;

/** When an execution is tried again. From 15 s after `at` on, says that the execution waits until its destination answers. */
export function NextTry({ at }: { at: string }) {
  const now = useNow();
  return (
    <span className="amber">
      {t.nextTry} {Date.parse(at) < now - graceMs ? t.whenItAnswers : <RelativeTime value={at} />}
    </span>
  );
}
