/** Our own words; see test/compliance. */
export const hipaaTitles = `
164.306(a)(1) Keep health data confidential, whole and available
164.306(a)(2) Protect against threats that can be expected
164.306(a)(3) Protect against uses that are not permitted
164.306(a)(4) Have the workforce comply
164.306(b)(1) Choose measures that fit
164.306(b)(2) Weigh size, technology, cost and risk
164.306(c) Comply with all standards
164.306(d)(1) Tell required from addressable specifications
164.306(d)(2) Implement what is required
164.306(d)(3) Assess what is addressable
164.306(e) Review measures and keep them current
164.308(a)(1)(i) Manage security: prevent, detect, contain, correct
164.308(a)(1)(ii)(A) Analyze risks
164.308(a)(1)(ii)(B) Reduce risks
164.308(a)(1)(ii)(C) Sanction violations by staff
164.308(a)(1)(ii)(D) Review system activity regularly
164.308(a)(2) Name a security official
164.308(a)(3)(i) Give the right workforce access
164.308(a)(3)(ii)(A) Authorize or supervise staff
164.308(a)(3)(ii)(B) Clear staff before access
164.308(a)(3)(ii)(C) End access when people leave
164.308(a)(4)(i) Authorize access to health data
164.308(a)(4)(ii)(A) Isolate clearinghouse functions
164.308(a)(4)(ii)(B) Define how access is authorized
164.308(a)(4)(ii)(C) Review and change access rights
164.308(a)(5)(i) Train everyone in security
164.308(a)(5)(ii)(A) Send security reminders
164.308(a)(5)(ii)(B) Guard against malware
164.308(a)(5)(ii)(C) Watch logins
164.308(a)(5)(ii)(D) Manage passwords
164.308(a)(6)(i) Have incident procedures
164.308(a)(6)(ii) Respond to incidents and report them
164.308(a)(7)(i) Plan for emergencies
164.308(a)(7)(ii)(A) Back up data
164.308(a)(7)(ii)(B) Plan disaster recovery
164.308(a)(7)(ii)(C) Plan operation in emergencies
164.308(a)(7)(ii)(D) Test and revise the plans
164.308(a)(7)(ii)(E) Know which applications and data are critical
164.308(a)(8) Evaluate security periodically
164.308(b)(1) Get assurances from business associates
164.308(b)(2) Get assurances from subcontractors
164.308(b)(3) Put the assurances in writing
164.310(a)(1) Limit physical access to facilities
164.310(a)(2)(i) Allow facility access in emergencies
164.310(a)(2)(ii) Have a facility security plan
164.310(a)(2)(iii) Check who enters facilities
164.310(a)(2)(iv) Record maintenance of facilities
164.310(b) Define how workstations are used
164.310(c) Secure workstations physically
164.310(d)(1) Control devices and media that come and go
164.310(d)(2)(i) Dispose of media safely
164.310(d)(2)(ii) Wipe media before reuse
164.310(d)(2)(iii) Track hardware and media
164.310(d)(2)(iv) Back up before moving equipment
164.312(a)(1) Allow access only to authorized users and programs
164.312(a)(2)(i) Give each user a unique ID
164.312(a)(2)(ii) Allow access in emergencies
164.312(a)(2)(iii) Log off idle sessions
164.312(a)(2)(iv) Encrypt and decrypt stored health data
164.312(b) Record and examine system activity
164.312(c)(1) Protect health data from improper change
164.312(c)(2) Verify that health data was not changed
164.312(d) Authenticate people and systems
164.312(e)(1) Protect health data in transit
164.312(e)(2)(i) Detect changes in transit
164.312(e)(2)(ii) Encrypt in transit
164.314(a)(1) Have contracts with business associates
164.314(a)(2)(i)(A) Contract: comply with this rule
164.314(a)(2)(i)(B) Contract: bind subcontractors
164.314(a)(2)(i)(C) Contract: report incidents
164.314(a)(2)(ii) Other arrangements between government bodies
164.314(a)(2)(iii) Contracts of associates with subcontractors
164.314(b)(1) Have group health plans protect data
164.314(b)(2)(i) Plan: safeguards of the sponsor
164.314(b)(2)(ii) Plan: separation from the sponsor
164.314(b)(2)(iii) Plan: agents agree to safeguards
164.314(b)(2)(iv) Plan: report incidents
164.316(a) Have policies and procedures
164.316(b)(1)(i) Write the policies down
164.316(b)(1)(ii) Write required actions down
164.316(b)(2)(i) Keep documents for six years
164.316(b)(2)(ii) Give documents to those who need them
164.316(b)(2)(iii) Review and update documents
`;
