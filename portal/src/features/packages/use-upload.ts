/** Uploads the zips: progress, cancel, failure. */
import { useEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { packageTexts } from '@cloudfit/contract/messages/packages.en.ts';
import { packages } from '@cloudfit/contract/resources/packages.ts';
import { upload } from '../../api/upload.ts';
import { toast } from '../../components/toasts.tsx';
import { uploadFailure, uploadForm, type UploadDraft } from './upload.rules.ts';
import type { PackageVersion } from './use-package.ts';

const nothingWrong: ReturnType<typeof uploadFailure> = { faults: {}, messages: [] };

export function useUpload(onDone: (packageId: string | null) => void) {
  const client = useQueryClient();
  /** Percent; null when no upload runs. */
  const [progress, setProgress] = useState<number | null>(null);
  const [failure, setFailure] = useState(nothingWrong);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (draft: UploadDraft) => {
    const form = await uploadForm(draft);
    const control = new AbortController();
    running.current = control;
    setFailure(nothingWrong);
    setProgress(0);
    try {
      const { value } = await upload<{ value: PackageVersion[] }>('/v1/packages/upload', form, {
        signal: control.signal,
        onProgress: setProgress,
      });
      setProgress(null);
      toast.success(packageTexts.upload.done(value.map((version) => version.version)));
      const ids = new Set(value.map((version) => version.packageId));
      onDone(ids.size === 1 ? (value[0]?.packageId ?? null) : null);
      await client.invalidateQueries({ queryKey: [packages.name] });
    } catch (error) {
      setProgress(null);
      if (!control.signal.aborted) setFailure(uploadFailure(error));
    }
  };
  return { progress, failure, start, stop: () => running.current?.abort() };
}
