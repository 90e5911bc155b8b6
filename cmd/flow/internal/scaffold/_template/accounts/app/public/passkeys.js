// Forms with data-passkey ask a passkey before they are sent. They are hidden until it is sure
// that the browser knows passkeys. data-passkey is the URL of what to ask.

async function ask(form) {
  const answer = await fetch(form.dataset.passkey, { method: "POST", headers: { Accept: "application/json" } });
  if (answer.status === 401) return location.reload(); // the sign-in is too old, and this page asks for another one
  const options = await answer.json();
  if (!answer.ok) throw new Error(options.detail);
  const { publicKey } = options;
  const credential = publicKey.user
    ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(publicKey) })
    : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(publicKey) });
  form.elements.credential.value = JSON.stringify(credential);
  form.submit();
}

const problems = {
  InvalidStateError: "This device has a passkey of your account already.",
  NotAllowedError: "No passkey was used.", // it was cancelled, or there is none, or it took too long
};

let asking = false;

if (window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (asking) return; // by a press before: a second question would make the answer to the first one worthless
      asking = true;
      const problem = form.querySelector("[role=alert]");
      problem.textContent = "";
      ask(form)
        .catch((err) => { problem.textContent = problems[err.name] ?? err.message; })
        .finally(() => { asking = false; });
    });
  }
}
