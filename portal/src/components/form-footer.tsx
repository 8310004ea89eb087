import type { ReactNode } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { Button } from './button.tsx';
import { RelativeTime } from './relative-time.tsx';

interface FormFooterProps {
  /** The id of the form that the button submits. */
  formId: string;
  isNew: boolean;
  isDirty: boolean;
  isSaving: boolean;
  readOnly: boolean;
  /** Why the form is read-only. */
  reason?: string;
  /** When the row was saved last. */
  savedAt?: unknown;
  onClose: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** The foot of a panel with a form: its buttons, and when the row was saved last or why it is read-only. */
export function FormFooter({
  formId,
  isNew,
  isDirty,
  isSaving,
  readOnly,
  reason = en.form.noRight,
  savedAt,
  onClose,
  children,
}: FormFooterProps) {
  return (
    <>
      {!readOnly && (
        <Button look="primary" type="submit" form={formId} disabled={isSaving || (!isNew && !isDirty)}>
          {isSaving ? en.common.saving : isNew ? en.common.create : en.common.save}
        </Button>
      )}
      <Button onClick={onClose}>{readOnly ? en.common.close : en.common.cancel}</Button>
      {children}
      <span className="grow" />
      {readOnly && <span className="faint">{reason}</span>}
      {!readOnly && typeof savedAt === 'string' && (
        <span className="faint ellipsis">
          {en.workUnits.savedAt('')}
          <RelativeTime value={savedAt} />
        </span>
      )}
    </>
  );
}

interface TabFooterProps {
  /** The tab that contains the panel's form, when the form has unsaved changes. */
  unsavedIn: string | undefined;
  onBack: () => void;
  onClose: () => void;
}

/** The footer of a panel while the open tab has its own form, or nothing to save. */
export function TabFooter({ unsavedIn, onBack, onClose }: TabFooterProps) {
  return (
    <>
      <Button onClick={onClose}>{en.common.close}</Button>
      {unsavedIn !== undefined && (
        <Button look="quiet" onClick={onBack}>
          {en.form.unsavedIn(unsavedIn)}
        </Button>
      )}
    </>
  );
}
