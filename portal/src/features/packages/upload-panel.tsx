/** Uploads zips as versions of packages. */
import { useEffect, useId, useRef, useState } from 'react';
import { downloadSamplePackage } from '@cloudfit/contract/calls.ts';
import { limits } from '@cloudfit/contract/limits.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { callFile } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField } from '../../components/fields/text-field.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { saveBlob } from '../../components/save-file.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { LookupInput } from '../../forms/lookup-input.tsx';
import { toastFailure } from '../../hooks/toast-failure.ts';
import { newId } from '../../hooks/use-panel.ts';
import { useRow } from '../../rows/use-rows.ts';
import { useScope } from '../../rows/use-scope.ts';
import { useUnsavedGuard } from '../../hooks/use-unsaved-guard.ts';
import { FileInput } from './file-input.tsx';
import { uploadFaults, type UploadDraft } from './upload.rules.ts';
import { useUpload } from './use-upload.ts';
import { uploadParam, useUploadPanel } from './use-upload-panel.ts';
import './packages.css';

const t = packageTexts.upload;
const labelMax = 200;

async function saveSample(): Promise<void> {
  try {
    saveBlob('sample-package.zip', await (await callFile(downloadSamplePackage, {}, { quiet: true })).blob());
  } catch (error) {
    toastFailure(error, t.sampleFailed);
  }
}

interface UploadFormProps {
  /** The tenant of the package that gets a version; for a new package the tenant in the address. */
  tenantId: string | null;
  onClose: () => void;
}

function UploadForm({ tenantId, onClose }: UploadFormProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const { close } = useUploadPanel();
  const [draft, setDraft] = useState<UploadDraft>({ label: '', tenantId, files: [] });
  const [tried, setTried] = useState(false);
  const { progress, failure, start, stop } = useUpload((packageId) => close(packageId));
  const isSending = progress !== null;
  useUnsavedGuard(draft.label !== '' || draft.files.length > 0, uploadParam);
  const change = (part: Partial<UploadDraft>) => setDraft((now) => ({ ...now, ...part }));
  const faults = { ...failure.faults, ...(tried ? uploadFaults(draft) : {}) };
  useEffect(() => {
    if (tried || failure.messages.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tried, failure]);

  return (
    <SidePanel
      title={t.title}
      onClose={onClose}
      footer={
        <>
          <Button look="primary" type="submit" form={id} disabled={isSending}>
            {t.start}
          </Button>
          {isSending ? (
            <>
              <Button onClick={stop}>{t.stop}</Button>
              <span className="row upload-progress" role="status">
                <ProgressBar done={progress} all={100} label={t.progress} />
                <span className="num muted">{progress < 100 ? t.sending(progress) : t.checking}</span>
              </span>
            </>
          ) : (
            <Button onClick={onClose}>{en.common.cancel}</Button>
          )}
        </>
      }
    >
      <form
        ref={form}
        id={id}
        className="body"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (Object.keys(uploadFaults(draft)).length === 0) void start(draft);
        }}
      >
        {failure.messages.length > 0 && (
          <div className="notice error" role="alert">
            <ul className="faults">
              {failure.messages.map((message) => (
                <li key={message}>{message}</li>
              ))}
            </ul>
          </div>
        )}
        <p className="muted upload-text">
          {t.text}{' '}
          <button type="button" className="link" onClick={() => void saveSample()}>
            {t.sample}
          </button>
        </p>
        <div className="form-grid">
          <TextField
            label={t.label}
            required
            help={t.labelHelp}
            error={faults.label}
            wide
            maxLength={labelMax}
            value={draft.label}
            readOnly={isSending}
            onChange={(next) => change({ label: next })}
          />
          <Field label={t.files} required help={t.filesHelp(limits.uploadFiles)} error={faults.files} wide>
            {(aria) => <FileInput aria={aria} files={draft.files} disabled={isSending} onChange={(files) => change({ files })} />}
          </Field>
          <Field label={t.tenant} help={t.tenantHelp} error={faults.tenantId} wide>
            {(aria) => (
              <LookupInput
                field={packages.fields.tenantId}
                name="tenantId"
                aria={aria}
                value={draft.tenantId}
                values={{}}
                disabled={isSending}
                onBlur={() => undefined}
                setValue={() => undefined}
                onChange={(value) => change({ tenantId: typeof value === 'string' && value !== '' ? value : null })}
              />
            )}
          </Field>
        </div>
      </form>
    </SidePanel>
  );
}

/** For a new version, loads the package first, because the upload has the package's tenant. */
export function UploadPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const isNew = id === newId;
  const { tenantId, isKnown } = useScope();
  const { data, error } = useRow(packages, id, { enabled: !isNew });
  if (!isKnown || (!isNew && !data && !error)) return null;
  return <UploadForm key={id} tenantId={data ? data.tenantId : tenantId} onClose={onClose} />;
}
