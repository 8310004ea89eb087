import { useState } from 'react';
import { en } from '@cloudfit/contract/messages/en.ts';
import { maintenanceTexts as t } from '@cloudfit/contract/messages/maintenance.en.ts';
import { maintenanceWindows } from '@cloudfit/contract/resources/maintenance-windows.ts';
import { useMay } from '../../api/lookups.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { Dialog, nearing } from '../../components/overlay/floating.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { startMaintenance, type MaintenanceTarget } from './use-maintenance.ts';
import { UntilChoices } from './until-choices.tsx';

interface MaintainButtonProps {
  target: MaintenanceTarget;
  /** What is put into maintenance, as in "web-01" or "3 devices". */
  what: string;
  look?: 'plain' | 'small' | 'icon';
}

/** Starts a maintenance in two clicks: on the button, and on a choice of the end. */
export function MaintainButton({ target, what, look = 'plain' }: MaintainButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (!useMay()(maintenanceWindows.area, 'create')) return null;
  const shared = { ...nearing, 'aria-haspopup': 'dialog' as const, onClick: () => setIsOpen(true) };
  return (
    <>
      {look === 'icon' ? (
        <IconButton small icon="wrench" label={t.startOf(what)} {...shared} />
      ) : (
        <Button small={look === 'small'} icon="wrench" {...shared}>
          {t.start}
        </Button>
      )}
      {isOpen && <MaintainDialog target={target} what={what} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function MaintainDialog({ target, what, onClose }: Omit<MaintainButtonProps, 'look'> & { onClose: () => void }) {
  const [reason, setReason] = useState('');
  const start = (until: Date) => {
    onClose();
    void startMaintenance({ target, reason: reason.trim() || t.defaultReason(what), until });
  };
  return (
    <Dialog title={t.startOf(what)} width="xs" onClose={onClose} actions={<Button onClick={onClose}>{en.common.cancel}</Button>}>
      <div className="maintain">
        <p className="muted">{t.explained}</p>
        {target.deviceFilter !== undefined && <p className="muted">{t.filterExplained}</p>}
        {target.deviceSelectionId !== undefined && <p className="muted">{t.selectionExplained}</p>}
        <UntilChoices confirm={t.confirm} onChoose={start} />
        <TextField label={t.why} maxLength={500} placeholder={t.whyPlaceholder} value={reason} onChange={setReason} />
      </div>
    </Dialog>
  );
}
