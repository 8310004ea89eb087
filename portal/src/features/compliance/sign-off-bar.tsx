/** Shows who signed the week off, or the button to sign it off. */
import { useEffect, useRef } from 'react';
import { complianceSignOffs } from '@cloudfit/contract/resources/compliance.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { signOffTexts as t } from '@cloudfit/contract/messages/compliance-evidence.en.ts';
import { useMay } from '../../api/lookups.ts';
import { usePersonName } from '../../api/people-names.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chips.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { exactTime } from '../../theme/times.ts';
import type { SignOff } from './use-sign-off.ts';

interface SignOffBarProps {
  signOff: SignOff;
  set: string;
  range: string;
  /** What is still open: controls without a status, exempt controls without a note, and whether the week has ended. */
  open: Parameters<typeof t.question>[2];
}

const noteMax = complianceSignOffs.fields.note.max;

export function SignOffBar({ signOff: { signed, sign, reopen }, set, range, open }: SignOffBarProps) {
  const may = useMay();
  const nameOf = usePersonName();
  const bar = useRef<HTMLSpanElement>(null);
  const isAsked = useRef(false);
  // The pressed button disappears: the focus moves to the report of the signed week, or to the button that signs it again.
  useEffect(() => {
    if (!isAsked.current || document.activeElement !== document.body) return;
    isAsked.current = false;
    const next = signed ? bar.current?.nextElementSibling : bar.current?.querySelector('button');
    if (next instanceof HTMLElement) next.focus();
  }, [signed]);
  if (signed === undefined) return null;
  const max = noteMax === undefined ? {} : { inputMax: noteMax };
  const askToSign = async () => {
    const answer = await confirm({
      title: t.signOff,
      text: t.question(set, range, open),
      yes: t.signOff,
      no: en.common.cancel,
      inputLabel: t.note,
      inputOptional: true,
      ...max,
    });
    if (!answer.yes) return;
    isAsked.current = true;
    void sign.run(answer.input);
  };
  const askToReopen = async (id: string) => {
    const answer = await confirm({
      title: t.reopen,
      text: t.reopenQuestion,
      yes: t.reopen,
      no: en.common.cancel,
      inputLabel: t.reason,
      ...max,
    });
    if (!answer.yes) return;
    isAsked.current = true;
    void reopen.run({ id, reason: answer.input });
  };
  if (signed === null)
    return may(complianceSignOffs.area, 'edit') ? (
      <span ref={bar} className="sign-off-bar">
        <Button icon="lock" disabled={sign.isBusy} onClick={() => void askToSign()}>
          {t.signOff}
        </Button>
      </span>
    ) : null;
  return (
    <span ref={bar} className="sign-off-bar">
      <span title={exactTime(signed.created)}>
        <Chip tone="ok" dot>
          {t.signed(nameOf(signed.signedBy))}
        </Chip>
      </span>
      {may(complianceSignOffs.area, 'delete') && (
        <Button disabled={reopen.isBusy} onClick={() => void askToReopen(signed.signOffId)}>
          {t.reopen}
        </Button>
      )}
    </span>
  );
}
