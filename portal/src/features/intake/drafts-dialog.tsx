import { en } from '@cloudfit/contract/messages/en.ts';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { useTenants } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { confirm } from '../../components/overlay/confirm.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { EmptyState } from '../../components/states.tsx';
import { draftLifetimeMs, type IntakeDraft } from './drafts.ts';
import { firstLineOf, type IntakeValues } from './intake-form.ts';

interface DraftsDialogProps {
  list: readonly IntakeDraft[];
  current: number | undefined;
  onOpen: (index: number) => void;
  onDelete: (index: number) => void;
  onClose: () => void;
}

const text = (draft: IntakeDraft, name: keyof IntakeValues) => String(draft.values[name] ?? '').trim();

function nameOf(draft: IntakeDraft): string {
  const spam = draft.values.isSpamCall === true ? t.spam : '';
  return spam || text(draft, 'title') || firstLineOf(text(draft, 'description')) || t.untitled;
}

function DraftLine({
  draft,
  isCurrent,
  onOpen,
  onDelete,
}: {
  draft: IntakeDraft;
  isCurrent: boolean;
  onOpen: () => void;
  onDelete: () => void;
}) {
  const { data: tenants } = useTenants();
  const name = nameOf(draft);
  const who = [
    text(draft, 'stakeHolderFullName'),
    text(draft, 'stakeHolderPhoneNumber'),
    tenants?.find((tenant) => tenant.tenantId === draft.values.tenantId)?.name,
  ];
  const remove = async () => {
    const answer = await confirm({
      title: t.deleteTitle,
      text: t.deleteQuestion(name),
      yes: en.common.delete,
      no: en.common.cancel,
      danger: true,
    });
    if (answer.yes) onDelete();
  };
  return (
    <li {...(isCurrent ? { 'aria-current': 'true' as const } : {})}>
      <button type="button" className="draft" onClick={onOpen}>
        <b className="ellipsis">{name}</b>
        <span className="faint ellipsis">{who.filter(Boolean).join(' · ')}</span>
        <span className="faint">
          {t.savedAt}
          <RelativeTime value={new Date(draft.at).toISOString()} />, {t.expires}
          <RelativeTime value={new Date(draft.at + draftLifetimeMs).toISOString()} />
        </span>
      </button>
      <IconButton icon="trash" label={t.deleteDraft(name)} onClick={() => void remove()} />
    </li>
  );
}

export function DraftsDialog({ list, current, onOpen, onDelete, onClose }: DraftsDialogProps) {
  return (
    <Dialog
      title={t.drafts}
      width="xs"
      onClose={onClose}
      actions={
        <Button autoFocus onClick={onClose}>
          {en.common.close}
        </Button>
      }
    >
      {list.length === 0 ? (
        <EmptyState small title={t.noDrafts} text={t.noDraftsText} />
      ) : (
        <ul className="drafts">
          {list.map((draft) => (
            <DraftLine
              key={draft.index}
              draft={draft}
              isCurrent={draft.index === current}
              onOpen={() => onOpen(draft.index)}
              onDelete={() => onDelete(draft.index)}
            />
          ))}
        </ul>
      )}
    </Dialog>
  );
}
