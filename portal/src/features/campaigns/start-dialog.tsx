/** Says what a campaign will do to how many devices, and starts it. */
import { useState, type ComponentType } from 'react';
import { useNavigate } from 'react-router';
import type { CampaignPreview } from '@cloudfit/contract/actions/devices.ts';
import { campaignChoices, previewCampaign, startCampaign } from '@cloudfit/contract/calls.ts';
import type { CampaignKind, VersionKind } from '@cloudfit/contract/enums.ts';
import { campaignTexts as t } from '@cloudfit/contract/messages/campaigns.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { campaignDevicesMax, campaigns } from '@cloudfit/contract/resources/campaigns.ts';
import { call, useCall } from '../../api/call.ts';
import { failureText, RequestFailed } from '../../api/client.ts';
import { useCommand } from '../../calls/command.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/overlay/floating.tsx';
import { Skeleton } from '../../components/states.tsx';
import { Checkbox } from '../../components/fields/checkbox.tsx';
import { NewPlace, OperationCopies, TagEdits, TracingTime, type EditFieldsProps } from './edit-fields.tsx';
import { problemOfRings, ringsBody, usualRings, type ChosenRings } from '../../entities/rings/chosen-rings.ts';
import { RingFields } from '../../entities/rings/ring-fields.tsx';
import { SubjectFields, type ChosenSubject, type SubjectField } from './subject-fields.tsx';
import './campaigns.css';

/** Campaigns that start from selected devices; a change of a rule starts from the rule. */
export type SelectionKind = Exclude<CampaignKind, VersionKind>;

/** For kinds of campaigns that need a choice: the fields of which at least one must be chosen. */
const neededFields: Partial<Record<CampaignKind, readonly SubjectField[]>> = {
  RunOperation: ['operationId'],
  InstallVersion: ['packageVersionId'],
  RemovePackage: ['packageId'],
  AddOperations: ['deviceOperationIds'],
  SetTracing: ['traceMinutes'],
  EditTags: ['addTags', 'removeTags'],
  Move: ['locationId', 'subscriptionId'],
};

/** Kinds of campaigns that may run in rings, because the devices themselves do the work or show its effect. */
const withRings: readonly CampaignKind[] = ['RunOperation', 'InstallVersion', 'RemovePackage', 'RestartAgent', 'AddOperations'];

const edits: Partial<Record<CampaignKind, ComponentType<EditFieldsProps>>> = {
  AddOperations: OperationCopies,
  SetTracing: TracingTime,
  EditTags: TagEdits,
  Move: NewPlace,
};

function Numbers({ kind, preview }: { kind: CampaignKind; preview: CampaignPreview }) {
  const { total, offline, already, unable, disabled } = preview;
  const acts = total - offline - already - unable - disabled;
  return (
    <ul className="campaign-findings">
      {acts > 0 && <li>{t.preview.acts(acts)}</li>}
      {offline > 0 && <li>{t.preview.offline(offline)}</li>}
      {already > 0 && <li>{t.preview.already(kind, already)}</li>}
      {unable > 0 && <li className="warn">{t.preview.unable(kind, unable)}</li>}
      {disabled > 0 && <li className="warn">{t.preview.disabled(disabled)}</li>}
    </ul>
  );
}

/** The selected devices: their ids, or a filter with the number of its devices. */
export type SelectedDevices = readonly string[] | { filter: string; count: number };

const isFilter = (selected: SelectedDevices): selected is Exclude<SelectedDevices, readonly string[]> => !Array.isArray(selected);

interface StartDialogProps {
  kind: SelectionKind;
  tenantId: string;
  selected: SelectedDevices;
  /** The subject that is chosen when the dialog opens. */
  first?: ChosenSubject;
  onClose: () => void;
}

export function StartDialog({ kind, tenantId, selected, first = {}, onClose }: StartDialogProps) {
  const navigate = useNavigate();
  const [subject, setSubject] = useState<ChosenSubject>(first);
  const [rings, setRings] = useState<ChosenRings | null>(null);
  const must = neededFields[kind];
  const isChosen = must === undefined || must.some((field) => subject[field] !== undefined);
  const Edits = edits[kind];
  const problem = rings && problemOfRings(rings);
  const [total, devices] = isFilter(selected)
    ? [selected.count, { filter: selected.filter }]
    : [selected.length, { deviceIds: [...selected] }];
  const isTooMany = total > campaignDevicesMax;
  const chosen = { tenantId, ...devices };
  const campaign = { ...chosen, kind, ...subject };
  const read = { refreshedBy: campaigns.name, quiet: false, meta: { live: false } };
  const choices = useCall(campaignChoices, chosen, { ...read, enabled: must !== undefined && !Edits && !isTooMany });
  const preview = useCall(previewCampaign, campaign, { ...read, enabled: isChosen && !isTooMany });
  // The server refuses the preview of a campaign that cannot be started.
  const isRefused = preview.error instanceof RequestFailed && preview.error.status === 400;
  const { run, isBusy } = useCommand(() => call(startCampaign, { ...campaign, ...(rings ? ringsBody(rings) : {}) }, { creates: true }), {
    done: () => t.started,
    refreshes: [campaigns.name],
  });
  const start = async () => {
    const started = await run(undefined);
    if (!started) return;
    onClose();
    await navigate(`/${tenantId}/campaigns/${started.answer.campaignId}`);
  };
  return (
    <Dialog
      title={t.question[kind](total)}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{en.common.cancel}</Button>
          <Button
            look="primary"
            autoFocus={must === undefined}
            disabled={!isChosen || isTooMany || isRefused || Boolean(problem) || isBusy}
            onClick={() => void start()}
          >
            {t.start[kind](total)}
          </Button>
        </>
      }
    >
      <div className="campaign-start">
        <p className="muted">{t.explained[kind]}</p>
        {isTooMany && <p className="notice">{t.tooMany(campaignDevicesMax)}</p>}
        {Edits && !isTooMany && <Edits tenantId={tenantId} subject={subject} onChange={setSubject} />}
        {must !== undefined && !Edits && !isTooMany && (
          <Loaded query={choices} failed={t.choicesFailed} loading={<Skeleton width="60%" />}>
            {(offered) => <SubjectFields kind={kind} total={total} choices={offered} subject={subject} onChange={setSubject} />}
          </Loaded>
        )}
        {(preview.data?.needed ?? 0) > 0 && (
          <Checkbox
            label={t.disableOperations(preview.data?.needed ?? 0)}
            checked={subject.disableOperations ?? false}
            onChange={(disableOperations) => setSubject({ ...subject, disableOperations })}
          />
        )}
        {withRings.includes(kind) && total > 1 && (
          <Checkbox label={t.rings.use} checked={rings !== null} onChange={() => setRings(rings ? null : usualRings(total))} />
        )}
        {rings && (
          <RingFields tenantId={tenantId} total={total} undone={t.rings.undone[kind] ?? t.rings.stops} rings={rings} onChange={setRings} />
        )}
        {isChosen && !isTooMany && (
          <div role="status">
            {preview.data ? (
              <Numbers kind={kind} preview={preview.data} />
            ) : (
              <p className={isRefused ? 'error' : 'faint'}>
                {isRefused ? failureText(preview.error) : preview.error ? t.previewFailed : t.counting}
              </p>
            )}
          </div>
        )}
      </div>
    </Dialog>
  );
}
