import { useSearchParams } from 'react-router';
import { intakeTexts as t } from '@cloudfit/contract/messages/intake.en.ts';
import { Button } from '../../components/button.tsx';
import { nearing } from '../../components/overlay/floating.tsx';
import { useAddress } from '../../hooks/use-address.ts';
import { newId, usePanel } from '../../hooks/use-panel.ts';
import type { Drafts } from './drafts.ts';
import { DraftsDialog } from './drafts-dialog.tsx';

/** Opens the drafts, which also have an address: `drafts=open`. */
export function DraftsButton({ drafts, current }: { drafts: Drafts; current: number | undefined }) {
  const [params] = useSearchParams();
  const setAddress = useAddress();
  const { open } = usePanel('intake');
  const list = drafts.useList();
  const show = (isOpen: boolean) =>
    setAddress(
      (next) => {
        if (isOpen) next.set('drafts', 'open');
        else next.delete('drafts');
        return undefined;
      },
      { replace: true, now: true },
    );
  const go = (id: string) => {
    show(false);
    open(id);
  };
  return (
    <>
      {current !== undefined && (
        <Button small look="quiet" icon="plus" onClick={() => open(newId)}>
          {t.newIntake}
        </Button>
      )}
      <Button small {...nearing} aria-haspopup="dialog" onClick={() => show(true)}>
        {t.drafts}
        {list.length > 0 && <span className="badge">{list.length}</span>}
      </Button>
      {params.get('drafts') === 'open' && (
        <DraftsDialog
          list={list}
          current={current}
          onOpen={(index) => go(String(index))}
          onDelete={(index) => {
            drafts.remove(index);
            if (index === current) go(newId);
          }}
          onClose={() => show(false)}
        />
      )}
    </>
  );
}
