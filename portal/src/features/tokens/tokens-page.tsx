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
  const [created, setCreated] = useState<Token & { generatedToken: string }>();
  const view = useMemo(() => tokensView(setCreated), []);
  return (
    <>
      {created && created.tenantId === tenantId && (
        <GeneratedToken
          key={created.tokenGrantId}
          name={created.name}
          token={created.generatedToken}
          onClose={() => setCreated(undefined)}
        />
      )}
      <ListPage view={view} />
    </>
  );
}
