/** The regulation's own names of its standards and specifications; where it has none, our words. */
export const hipaaTitles = `
164.306(a)(1) Ensure confidentiality, integrity and availability of ePHI
164.306(a)(2) Protect against reasonably anticipated threats
164.306(a)(3) Protect against reasonably anticipated uses that are not permitted
164.306(a)(4) Ensure compliance by the workforce
164.306(b)(1) Flexibility of approach: reasonable and appropriate measures
164.306(b)(2) Flexibility of approach: size, technology, cost and risk
164.306(c) Compliance with the standards
164.306(d)(1) Required and addressable specifications
164.306(d)(2) Implementation of required specifications
164.306(d)(3) Assessment of addressable specifications
164.306(e) Maintenance of security measures
164.308(a)(1)(i) Security management process
164.308(a)(1)(ii)(A) Risk analysis
164.308(a)(1)(ii)(B) Risk management
164.308(a)(1)(ii)(C) Sanction policy
164.308(a)(1)(ii)(D) Information system activity review
164.308(a)(2) Assigned security responsibility
164.308(a)(3)(i) Workforce security
164.308(a)(3)(ii)(A) Authorization and/or supervision
164.308(a)(3)(ii)(B) Workforce clearance procedure
164.308(a)(3)(ii)(C) Termination procedures
164.308(a)(4)(i) Information access management
164.308(a)(4)(ii)(A) Isolating health care clearinghouse functions
164.308(a)(4)(ii)(B) Access authorization
164.308(a)(4)(ii)(C) Access establishment and modification
164.308(a)(5)(i) Security awareness and training
164.308(a)(5)(ii)(A) Security reminders
164.308(a)(5)(ii)(B) Protection from malicious software
164.308(a)(5)(ii)(C) Log-in monitoring
164.308(a)(5)(ii)(D) Password management
164.308(a)(6)(i) Security incident procedures
164.308(a)(6)(ii) Response and reporting
164.308(a)(7)(i) Contingency plan
164.308(a)(7)(ii)(A) Data backup plan
164.308(a)(7)(ii)(B) Disaster recovery plan
164.308(a)(7)(ii)(C) Emergency mode operation plan
164.308(a)(7)(ii)(D) Testing and revision procedures
164.308(a)(7)(ii)(E) Applications and data criticality analysis
164.308(a)(8) Evaluation
164.308(b)(1) Business associate contracts and other arrangements
164.308(b)(2) Contracts of business associates with subcontractors
164.308(b)(3) Written contract or other arrangement
164.310(a)(1) Facility access controls
164.310(a)(2)(i) Contingency operations
164.310(a)(2)(ii) Facility security plan
164.310(a)(2)(iii) Access control and validation procedures
164.310(a)(2)(iv) Maintenance records
164.310(b) Workstation use
164.310(c) Workstation security
164.310(d)(1) Device and media controls
164.310(d)(2)(i) Disposal
164.310(d)(2)(ii) Media re-use
164.310(d)(2)(iii) Accountability
164.310(d)(2)(iv) Data backup and storage
164.312(a)(1) Access control
164.312(a)(2)(i) Unique user identification
164.312(a)(2)(ii) Emergency access procedure
164.312(a)(2)(iii) Automatic logoff
164.312(a)(2)(iv) Encryption and decryption
164.312(b) Audit controls
164.312(c)(1) Integrity
164.312(c)(2) Mechanism to authenticate electronic protected health information
164.312(d) Person or entity authentication
164.312(e)(1) Transmission security
164.312(e)(2)(i) Integrity controls
164.312(e)(2)(ii) Encryption
164.314(a)(1) Business associate contracts or other arrangements
164.314(a)(2)(i)(A) Business associate contracts: compliance with this subpart
164.314(a)(2)(i)(B) Business associate contracts: subcontractors
164.314(a)(2)(i)(C) Business associate contracts: incident reporting
164.314(a)(2)(ii) Other arrangements
164.314(a)(2)(iii) Business associate contracts with subcontractors
164.314(b)(1) Requirements for group health plans
164.314(b)(2)(i) Plan documents: safeguards
164.314(b)(2)(ii) Plan documents: adequate separation
164.314(b)(2)(iii) Plan documents: agents
164.314(b)(2)(iv) Plan documents: incident reporting
164.316(a) Policies and procedures
164.316(b)(1)(i) Documentation of policies and procedures
164.316(b)(1)(ii) Documentation of actions, activities and assessments
164.316(b)(2)(i) Documentation time limit
164.316(b)(2)(ii) Documentation availability
164.316(b)(2)(iii) Documentation updates
`;
