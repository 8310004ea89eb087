/** The tokens of the tenant of the address; one that was just made shows above them until the page is left. */
import { useMemo, useState } from 'react';
import { ListPage } from '../../resource/list-page.tsx';
import { useScope } from '../../rows/use-scope.ts';
import { GeneratedToken } from './generated-token.tsx';
import type { Token } from './token-status.tsx';
import { tokensView } from './tokens.view.tsx';
import './tokens.css';

export function TokensPage() {
  const { tenantId } = useScope();
  const [made, setMade] = useState<Token & { generatedToken: string }>();
  const view = useMemo(() => tokensView(setMade), []);
  return (
    <>
      {made && made.tenantId === tenantId && (
        <GeneratedToken key={made.tokenGrantId} name={made.name} token={made.generatedToken} onClose={() => setMade(undefined)} />
      )}
      <ListPage view={view} />
    </>
  );
}
