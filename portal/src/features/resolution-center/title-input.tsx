/** The title of a request, with articles that may answer it: then the request is not sent. */
import { createContext, use, useState } from 'react';
import { countArticleUse } from '@cloudfit/contract/calls.ts';
import { knowledgeArticleTexts as t } from '@cloudfit/contract/messages/knowledge-articles.en.ts';
import { call } from '../../api/call.ts';
import { Button } from '../../components/button.tsx';
import { toast } from '../../components/toasts.tsx';
import { SuggestedArticles, type SuggestedArticle } from '../../entities/articles/suggested-articles.tsx';
import { TextInput } from '../../forms/inputs.tsx';
import type { InputProps } from '../../forms/form-types.ts';
import { toastFailure } from '../../hooks/toast-failure.ts';
import type { RequestDeclaration } from './request-declaration.ts';

/** Called when an article has answered the request. */
export const HelpedContext = createContext<() => void>(() => undefined);

function Answer({ article, onClose }: { article: SuggestedArticle; onClose: () => void }) {
  const onHelped = use(HelpedContext);
  const [isBusy, setBusy] = useState(false);
  const helped = async () => {
    setBusy(true);
    try {
      await call(countArticleUse, { id: article.knowledgeArticleId, kind: 'Solved' }, { quiet: true });
      toast.success(t.helped);
      onHelped();
    } catch (error) {
      setBusy(false);
      toastFailure(error, t.failed);
    }
  };
  return (
    <>
      <span className="grow muted">{t.helpsQuestion}</span>
      <Button onClick={onClose}>{t.helpsNot}</Button>
      <Button look="primary" disabled={isBusy} onClick={() => void helped()}>
        {t.helps}
      </Button>
    </>
  );
}

export function TitleInput(props: InputProps<RequestDeclaration>) {
  const { value, values } = props;
  return (
    <>
      {/* A text input takes the props of any resource. */}
      <TextInput {...(props as unknown as InputProps)} />
      <SuggestedArticles
        tenantId={values.tenantId}
        title={value}
        workUnitCategoryId={values.workUnitCategoryId}
        actions={(article, close) => <Answer article={article} onClose={close} />}
      />
    </>
  );
}
