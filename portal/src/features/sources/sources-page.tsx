/** The sources of a tenant. What a new one, or one with a new token, has to be given stands above them until the person leaves the page. */
import { useMemo, useState } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { ReadySource } from './ready-source.tsx';
import type { NewSource } from './source-row.ts';
import { sourcesView } from './sources.view.tsx';
import '../../components/receiver.css';
import './sources.css';

export function SourcesPage() {
  const { tenantId } = useScope();
  const [ready, setReady] = useState<NewSource>();
  const view = useMemo(() => sourcesView(setReady), []);
  return (
    <>
      {ready && ready.tenantId === tenantId && (
        <ReadySource key={ready.generatedToken} source={ready} onClose={() => setReady(undefined)} />
      )}
      <ListPage view={view} />
    </>
  );
}
