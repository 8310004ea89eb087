/**
 * When a passkey form is submitted, asks the browser for a passkey and submits the result with the form. The form has the texts for
 * what may go wrong, in the language of the page.
 */

async function optionsFor(form) {
  const response = await window.fetch(form.dataset.options, { method: 'POST', body: new URLSearchParams(new FormData(form)) });
  const answer = await response.json();
  if (!response.ok) throw Object.assign(new Error(answer.error), { shown: true });
  return answer;
}

async function askBrowser(form) {
  const options = await optionsFor(form);
  return form.dataset.passkey === 'get'
    ? navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
    : navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
}

async function fill(form) {
  const button = form.querySelector('button');
  const error = form.querySelector('.error');
  error.hidden = true;
  button.disabled = true;
  try {
    const credential = await askBrowser(form);
    form.elements.passkey.value = JSON.stringify(credential.toJSON());
    form.submit();
  } catch (problem) {
    const { known, failed } = form.dataset;
    const text = problem.name === 'InvalidStateError' ? (known ?? failed) : failed;
    error.textContent = problem.shown ? problem.message : text;
    error.hidden = false;
    button.disabled = false;
  }
}

document.addEventListener('DOMContentLoaded', () => {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void fill(form);
    });
  }
});
