/** The tokens of the tenant of the address. A new token shows above them until the person leaves the page. */
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
