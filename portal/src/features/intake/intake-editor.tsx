import { useEffect, useRef } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { disableDrafts } from '../../api/intake-settings.ts';
import { Button } from '../../components/button.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { FormFields } from '../../forms/form-fields.tsx';
import type { IntakeDraft, Drafts } from './drafts.ts';
import { DraftsButton } from './drafts-button.tsx';
import { KnownCaller } from './known-caller.tsx';
import { SpamCheck } from './spam-check.tsx';
import { useIntake } from './use-intake.ts';
import './intake.css';

interface IntakeEditorProps {
  drafts: Drafts;
  /** The draft being continued; undefined for a new call. */
  draft: IntakeDraft | undefined;
  onClose: () => void;
}

export function IntakeEditor({ drafts, draft, onClose }: IntakeEditorProps) {
  const intake = useIntake(drafts, draft);
  const { state } = intake;
  const withoutDrafts = disableDrafts.use();
  const body = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // A new call focuses the phone number; a draft does not, because the person reads it first.
    if (!draft) body.current?.querySelector<HTMLElement>('input[type="tel"]')?.focus();
  }, [draft]);

  return (
    <SidePanel
      title={draft ? t.draftTitle(draft.index + 1) : t.title}
      onClose={onClose}
      meta={
        <span className="intake-meta">
          {intake.savedAt !== undefined && (
            <span className="faint">
              {t.savedAt}
              <RelativeTime value={new Date(intake.savedAt).toISOString()} />
            </span>
          )}
          <span className="grow" />
          {!withoutDrafts && <DraftsButton drafts={drafts} current={draft?.index} />}
        </span>
      }
      footer={
        <>
          <Button look="primary" type="submit" form={state.id} disabled={intake.isSubmitting}>
            {intake.isSubmitting ? t.submitting : t.submit}
          </Button>
          {!withoutDrafts && <Button onClick={intake.saveDraft}>{t.saveAsDraft}</Button>}
          <Button onClick={onClose}>{en.common.cancel}</Button>
        </>
      }
    >
      <form
        ref={body}
        id={state.id}
        className="body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          intake.submit();
        }}
      >
        <SpamCheck value={intake.mode.isSpam} onChange={intake.setSpam} />
        {!intake.mode.isSpam && <KnownCaller state={state} />}
        <FormFields state={state} />
      </form>
    </SidePanel>
  );
}
